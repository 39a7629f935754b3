import { deepEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { canBox } from '../../src/processes/bubblewrap.js';

const { works, reason } = canBox();

// BUBBLEWRAP-2
test('a bubblewrap that cannot forbid user namespaces makes boxes all the same', { skip: works ? false : reason, timeout: 60_000 }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-bwrap-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const bwrap = execFileSync('/bin/sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).trim();
  const earlier = join(folder, 'bwrap');
  const refusal = '[ "$word" != --disable-userns ] || { echo "bwrap: Unknown option --disable-userns" >&2; exit 1; }';
  writeFileSync(earlier, `#!/bin/sh\nfor word; do ${refusal}; done\nexec '${bwrap}' "$@"\n`);
  chmodSync(earlier, 0o755);
  const module = new URL('../../src/processes/bubblewrap.js', import.meta.url).href;
  const script = `import(${JSON.stringify(module)}).then(({ canBox }) => console.log(JSON.stringify(canBox())))`;
  const said = execFileSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}:/usr/bin:/bin` },
  });
  deepEqual(JSON.parse(said), { works: true, reason: '', forbidsNamespaces: false });
});
