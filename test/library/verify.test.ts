// Each library package that imitates a vendor is proved against the vendor's own client, offline; and the proof is one: the same package
// whose codec leaves out a member is not proved. On the way its conformance drills pass, with a fresh module each turn too.
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { NoticedMutation } from '../../src/compat-kit/mutations.js';
import { verifyToolPackage } from '../../src/compat-kit/verify.js';
import { library, libraryPackages } from './package-world.js';
import { assertAllShown } from './shown-facts.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-library-verify-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
symlinkSync(join(library, '..', 'node_modules'), join(scratch, 'node_modules'));

for (const packageId of libraryPackages.filter((id) => existsSync(join(library, id, 'compat')))) {
  test(`${packageId}: its vendor's client proves it, and would not if a codec left out a member`, async () => {
    const reportDirectory = join(scratch, 'reports', packageId);
    const { findings, noticed, clients } = await verifyToolPackage({ folder: join(library, packageId), reportDirectory });
    assert.deepEqual(findings, []);
    await assertAllShown(packageId, reportDirectory);
    assert.ok(clients.length > 0);
    const lost =
      noticed.find(({ how, from }) => how === 'lost' && from === 'flow') ?? assert.fail('no loss of any member would be noticed');
    const { verdict, findings: found } = await verifyToolPackage({ folder: mutant(packageId, lost) });
    assert.equal(verdict, 'failed');
    const refused = found.filter(({ kind, message }) => kind === 'response_refused' && message.includes(`, ${lost.routeId}: `));
    assert.ok(refused.length > 0, JSON.stringify([lost, found]));
  });
}

/**
 * A copy of the package, beside the same installed packages, whose codec of the route leaves the member out. Of its drills one is left: the
 * flow asks for every route, and what the drills find is shown by the package itself.
 */
function mutant(packageId: string, { routeId, path }: NoticedMutation): string {
  const folder = join(scratch, 'library', packageId);
  mkdirSync(join(scratch, 'library'), { recursive: true });
  cpSync(join(library, packageId), folder, { recursive: true });
  assert.ok(
    /^module: (?:\.\/)?behavior\.ts$/m.test(readFileSync(join(folder, `${packageId}.tool.yaml`), 'utf8')),
    'its module is behavior.ts',
  );
  const drills = join(folder, 'conformance', 'drillyard', 'drills');
  for (const file of readdirSync(drills).sort().slice(1)) rmSync(join(drills, file));
  renameSync(join(folder, 'behavior.ts'), join(folder, 'whole.ts'));
  writeFileSync(
    join(folder, 'behavior.ts'),
    `import { defineToolBehavior } from 'drillyard/tool-sdk';
import whole from './whole.ts';

const without = (value, [name, ...rest]) => {
  if (Array.isArray(value)) return value.map((item) => without(item, rest));
  if (value === null || typeof value !== 'object' || !(name in value)) return value;
  const { [name]: member, ...others } = value;
  return rest.length === 0 ? others : { ...value, [name]: without(member, rest) };
};
const codecs = whole.http[${JSON.stringify(routeId)}];
const encode = (seen) => {
  const message = codecs.encode(seen);
  const { outcome } = seen;
  if (outcome.kind !== 'ok' || message.body.kind !== 'json') return message;
  return { ...message, body: { kind: 'json', value: without(message.body.value, ${JSON.stringify(path)}) } };
};
export default defineToolBehavior({ ...whole, http: { ...whole.http, ${JSON.stringify(routeId)}: { ...codecs, encode } } });
`,
  );
  return folder;
}
