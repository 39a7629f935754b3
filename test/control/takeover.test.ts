// A service that several machines share: each opens the control plane on its own folder when the catalog comes to it, and again later.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { isServiceError } from '../../src/contract/errors.js';
import { newId } from '../../src/contract/ids.js';
import { firstStartOf, firstStartTable } from '../../src/control/bootstrap.js';
import { loadBuild } from '../../src/control/builds/build-records.js';
import { CatalogCopy } from '../../src/control/catalog/catalog-copy.js';
import { tokenHash } from '../../src/control/catalog/keyring.js';
import { operatorTokenFile } from '../../src/control/catalog/settings.js';
import type { ServiceHomes } from '../../src/control/core/services.js';
import { catalogFolder } from '../../src/control/data-folder.js';
import { type Control, type OpenControl, openControl } from '../../src/control/open-control.js';
import { operatorHash } from '../../src/control/organizations/operator-token.js';
import { startControlServer } from '../../src/control-server.js';
import { MemoryLog } from '../cluster/memory-log.js';
import { CatalogLog, catalogFolderOf } from './catalog-kit.js';
import { quietSettings } from './control-kit.js';

interface Machine {
  readonly directory: string;
  readonly losses: unknown[];
  /** What the log has and the folder has not is applied first, as a follower does. */
  lead(more?: Partial<OpenControl>): Promise<Control>;
}

// The first start compiles the example, which takes seconds: one for all tests, each of which has what it left.
const started = mkdtempSync(join(tmpdir(), 'drillyard-takeover-'));
after(() => rmSync(started, { recursive: true, force: true }));
const firstLog = new CatalogLog();
const store = new MemoryLog({ homes: 1 }).door('any').blobs;
writeFileSync(join(started, 'shared.key'), 'a1'.repeat(32), { mode: 0o600 });
const firstControl = await machineOf(join(started, 'one'), firstLog).lead();
const secret = firstControl.first.secret as string;
await firstControl.first.markShown();
await firstControl.close(1000);

function cluster(t: TestContext): { log: CatalogLog; machine(name: string): Machine; keyFile: string } {
  const root = catalogFolderOf(t);
  cpSync(started, root, { recursive: true });
  const log = new CatalogLog('later');
  log.records.push(...firstLog.records);
  return { log, machine: (name) => machineOf(join(root, name), log), keyFile: join(root, 'shared.key') };
}

function machineOf(directory: string, log: CatalogLog): Machine {
  const losses: unknown[] = [];
  return {
    directory,
    losses,
    lead: async (more = {}) => {
      const copy = new CatalogCopy(catalogFolder(directory));
      await copy.follow(log.records.slice(copy.position.number));
      await copy.close();
      const bindings = {
        available: new Set<never>(),
        httpMounts: new Set<never>(),
        open: () => Promise.reject(new Error('no agents here')),
        close: async () => {},
      };
      return await openControl({
        settings: { ...quietSettings, dataDirectory: directory, keyFile: join(directory, '..', 'shared.key') },
        bindings,
        log: { info: () => {}, warn: () => {}, error: () => {} },
        catalog: { log, onLost: (cause) => void losses.push(cause) },
        blobs: store,
        ...more,
      });
    },
  };
}

async function createProject(control: Control, name: string): Promise<string> {
  const caller = control.plane.authenticate(secret);
  const context = { caller, correlationId: newId('corr'), idempotencyKey: newId('corr') };
  const { reply } = await control.plane.dispatch('createProject', { path: undefined, query: undefined, body: { name } }, context);
  return reply.project.projectId;
}
async function projectNames(control: Control): Promise<string[]> {
  const context = { caller: control.plane.authenticate(secret), correlationId: newId('corr') };
  const { reply } = await control.plane.dispatch('listProjects', { path: undefined, query: {}, body: undefined }, context);
  return reply.items.map(({ name }) => name).sort();
}

test('the catalog moves to another machine and back, in one process, with all that was acknowledged', async (t) => {
  const { machine } = cluster(t);
  const [one, other] = [machine('one'), machine('other')];
  const first = await one.lead();
  await createProject(first, 'of one');
  await first.close(1000);

  const second = await other.lead();
  const { markShown: _, secret: again, ...ids } = second.first;
  assert.equal(again, undefined, 'it was shown by the first');
  const { markShown: __, secret: ___, ...firstIds } = first.first;
  assert.deepEqual(ids, firstIds);
  assert.ok(existsSync(join(one.directory, operatorTokenFile)));
  assert.equal(existsSync(join(other.directory, operatorTokenFile)), false, 'the token holds that there is');
  const build = await loadBuild(second.plane.services, ids);
  assert.equal(build.buildHash, ids.buildHash, 'its bytes come from the store');
  await createProject(second, 'of other');
  await second.close(1000);

  const third = await one.lead();
  assert.deepEqual(await projectNames(third), ['default', 'of one', 'of other']);
  assert.deepEqual(await third.troubles(), []);
  await third.close(1000);
  assert.deepEqual([...one.losses, ...other.losses], []);
  // What a node that only follows can say.
  const copy = new CatalogCopy(catalogFolder(one.directory));
  assert.deepEqual(firstStartOf(copy.view), firstIds);
  const { buildHash: ____, ...begun } = copy.view.get(firstStartTable, 'first')!;
  assert.equal(firstStartOf({ get: () => begun } as unknown as typeof copy.view), undefined, 'its example is not built');
  await copy.close();
});

test('a late owner changes nothing, learns it at its next change, closes, and may be the owner again', async (t) => {
  const { log, machine } = cluster(t);
  const [late, taker] = [machine('late'), machine('taker')];
  const before = await late.lead();
  const records = log.records.length;
  const fates = new Map<number, 'lost'>();
  log.onAppend = () => fates.get(log.records.length) ?? 'appended';
  fates.set(records, 'lost');
  await assert.rejects(createProject(before, 'lost'), (error) => isServiceError(error, 'control.UNAVAILABLE'));
  await assert.rejects(createProject(before, 'later'), (error) => isServiceError(error, 'control.UNAVAILABLE'));
  assert.equal(late.losses.length, 1);
  assert.equal(log.records.length, records);
  await before.close(0);
  fates.clear();
  const now = await taker.lead();
  await createProject(now, 'kept');
  await now.close(1000);
  const back = await late.lead();
  assert.deepEqual(await projectNames(back), ['default', 'kept']);
  await back.close(1000);
});

test('the copy of a catalog that was made under load opens as a copy at its position', async (t) => {
  const { log, machine } = cluster(t);
  const one = machine('one');
  const control = await one.lead();
  const into = join(one.directory, 'copied');
  await control.copyCatalog(into);
  await createProject(control, 'after the copy');
  await control.close(1000);
  const copy = new CatalogCopy(into);
  const at = copy.position.number;
  assert.ok(at > 0 && at < log.records.length);
  await copy.follow(log.records.slice(at));
  assert.equal(copy.position.number, log.records.length);
  await copy.close();
});

// OPERATOR-TOKEN-1
test('a replaced operator token does not return with the file of another machine', async (t) => {
  const { machine } = cluster(t);
  const [one, other] = [machine('one'), machine('other')];
  const hashOn = async (which: Machine): Promise<string | undefined> => {
    const control = await which.lead();
    const hash = operatorHash(control.plane.services.catalog.view);
    await control.close(1000);
    return hash;
  };
  const made = await hashOn(one);
  assert.equal(made, tokenHash(readFileSync(join(one.directory, operatorTokenFile), 'utf8').trim()));
  assert.equal(await hashOn(other), made);
  const token = `dyo_${'t'.repeat(43)}`;
  writeFileSync(join(other.directory, operatorTokenFile), token, { mode: 0o600 });
  assert.equal(await hashOn(other), tokenHash(token));
  assert.equal(await hashOn(one), tokenHash(token));
});

test('a node without the shared key, or that would rotate it, does not open', async (t) => {
  const { machine, keyFile } = cluster(t);
  const one = machine('one');
  const settings = { ...quietSettings, dataDirectory: one.directory };
  for (const wrong of [settings, { ...settings, keyFile, rotateKey: { graceMs: 0 } }]) {
    await assert.rejects(one.lead({ settings: wrong }), (error) => isServiceError(error, 'control.INVALID_REQUEST'));
  }
  assert.equal(readdirSync(one.directory).includes('server.key'), false);
});

test('a directory of a node opens as no service without its cluster, and no key is made in it', async (t) => {
  const { machine } = cluster(t);
  const one = machine('one');
  await (await one.lead()).close(1000);
  for (const rotateKey of [undefined, { graceMs: 0 }]) {
    const options = { dataDirectory: one.directory, port: 0, log: { level: 'silent' as const }, ...(rotateKey && { rotateKey }) };
    await assert.rejects(startControlServer(options), { code: 'control.STATE_CONFLICT', message: /copy of a cluster's/ });
  }
  assert.equal(readdirSync(one.directory).includes('server.key'), false);
});

test('homes that open later are seen, and what is there of another service does not stand in the way', async (t) => {
  const { machine } = cluster(t);
  const [one, other] = [machine('one'), machine('other')];
  await (await one.lead()).close(1000);
  let opened: Parameters<ServiceHomes['use']>[0] | undefined;
  const owned: number[] = [];
  const homes: ServiceHomes = {
    count: 4,
    owned: () => owned,
    use: (worlds) => {
      opened = worlds;
    },
  };
  const control = await other.lead({ homes });
  assert.ok(opened !== undefined);
  owned.push(2);
  await opened.openHome(2);
  owned.pop();
  await opened.closeHome(2, { lost: true });
  await control.close(1000);
  rmSync(catalogFolder(other.directory), { recursive: true });
  // Its blobs stay: the catalog comes back from the log.
  await (await other.lead()).close(1000);
});
