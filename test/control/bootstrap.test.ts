// The first start: everything once, whenever it is cut short.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Bootstrap, bootstrap } from '../../src/control/bootstrap.js';
import { environmentTable } from '../../src/control/builds/environment-records.js';
import { Catalog } from '../../src/control/catalog/catalog.js';
import { Keyring } from '../../src/control/catalog/keyring.js';
import { credentialTable, projectTable } from '../../src/control/catalog/organization-records.js';
import type { ControlServices } from '../../src/control/core/services.js';
import { quietSettings } from './control-kit.js';

const buildHash = `sha256:${'a'.repeat(64)}`;

// BOOTSTRAP-1, BOOTSTRAP-2
test('cut short at any flush and in the midst of the build, the next start ends with the same and only one of each', async () => {
  // After how many flushes the power goes; -1: while the example is built.
  for (const cut of [0, -1, 1, 2, 3, 99]) {
    const directory = mkdtempSync(join(tmpdir(), 'drillyard-bootstrap-'));
    const incarnations: Bootstrap[] = [];
    for (const flushes of [cut, 99]) {
      let left = Math.max(flushes, flushes === -1 ? 99 : 0);
      const onCommit = (): void => {
        if (left-- === 0) throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' });
      };
      const catalog = new Catalog({ directory: join(directory, 'catalog'), onCommit });
      const services = {
        catalog,
        keyring: Keyring.open({ dataDirectory: directory, nowMs: () => 5 }),
        settings: { ...quietSettings, dataDirectory: directory },
        nowMs: () => 5,
      } as unknown as ControlServices;
      const publish = async (): Promise<{ buildHash: string }> => {
        if (flushes === -1) throw new Error('the power went');
        return { buildHash };
      };
      const started = await bootstrap(services, publish).catch(() => undefined);
      if (started !== undefined) {
        incarnations.push(started);
        assert.ok(started.secret, 'until it was returned, it is given out');
        const of = { index: 'byProject', prefix: [started.projectId], limit: 10 };
        const { view } = catalog;
        assert.equal(view.list(environmentTable, of).records.length, 1);
        assert.equal(view.get(environmentTable, started.environmentId)?.buildHash, buildHash);
        assert.equal(view.list(projectTable, { ...of, index: 'byOrganization', prefix: [started.organizationId] }).records.length, 1);
        assert.equal(view.list(credentialTable, { ...of, index: 'byOrganization', prefix: [started.organizationId] }).records.length, 1);
      }
      await catalog.close();
    }
    const returned = incarnations.map(({ markShown: _, secret: __, ...rest }) => rest);
    for (const one of returned) assert.deepEqual(one, returned[0]);
    // A secret that may have been returned is void once another was made.
    assert.equal(new Set(incarnations.map(({ secret }) => secret)).size, incarnations.length);
    assert.equal(returned.length, cut === 99 || cut === 3 ? 2 : 1);
    rmSync(directory, { recursive: true, force: true });
  }
});

// BOOTSTRAP-2
test('a secret that was returned is never given out again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-bootstrap-'));
  const open = async (): Promise<[Catalog, Bootstrap]> => {
    const catalog = new Catalog({ directory: join(directory, 'catalog') });
    const services = {
      catalog,
      keyring: Keyring.open({ dataDirectory: directory, nowMs: () => 5 }),
      settings: { ...quietSettings, dataDirectory: directory },
      nowMs: () => 5,
    } as unknown as ControlServices;
    return [catalog, await bootstrap(services, async () => ({ buildHash }))];
  };
  const [first, started] = await open();
  await started.markShown();
  await first.close();
  const [second, again] = await open();
  assert.deepEqual([again.secret, again.projectId, again.buildHash], [undefined, started.projectId, buildHash]);
  await second.close();
  rmSync(directory, { recursive: true, force: true });
});
