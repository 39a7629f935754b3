// A data directory with a file that is damaged, cut short, empty, missing or of something else: the start ends with its name and with what
// to do, never with a signal, and never with a new service beside the old data.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { emptyDatabase } from '../../src/files/database-page.js';
import { clientOf, serve, startService, temporaryFolder } from './service.js';

const whole = join(temporaryFolder(), 'whole');
before(async () => {
  const service = await startService({ dataDirectory: whole });
  const { projectId, environmentId, credential } = service.ready;
  const client = clientOf(service, credential!);
  const { operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '1' } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  assert.equal((await service.stop()).code, 0);
});

/** `worlds/*`: of the one project. */
const [catalog, worlds, key] = ['catalog/data.mdb', 'worlds/*/host-0/data.mdb', 'server.key'];
const projectFolder = (directory: string): string => readdirSync(join(directory, 'worlds')).find((name) => name.startsWith('p-')) as string;
type Damage = (file: string) => void;
const flip: (place: number) => Damage = (place) => (file) => {
  const bytes = readFileSync(file);
  bytes[place] = (bytes[place] as number) ^ 0xff;
  writeFileSync(file, bytes);
};
const cut: (share: number) => Damage = (share) => (file) => truncateSync(file, Math.floor(readFileSync(file).length * share));
const text: Damage = (file) => writeFileSync(file, 'this is a text\n'.repeat(500));
const empty: Damage = (file) => truncateSync(file, 0);
const missing: Damage = (file) => rmSync(file);
const pages: Damage = (file) => writeFileSync(file, readFileSync(file).fill(0x5a, 8192, 8192 + 10 * 4096));

const cases: [name: string, file: string, damage: Damage][] = [
  ['its magic is another', catalog, flip(24)],
  ['its second head is another', catalog, flip(4096 + 24)],
  ['its pages are overwritten', catalog, pages],
  ['half of it is gone', catalog, cut(0.5)],
  ['it ends in its head', catalog, (file) => truncateSync(file, 100)],
  ['it is a text', catalog, text],
  ['it is empty', catalog, empty],
  ['it is missing beside worlds', catalog, missing],
  [
    'it is another database',
    catalog,
    (file) => cpSync(join(file, '../../worlds', projectFolder(join(file, '../..')), 'host-0/data.mdb'), file),
  ],
  ['it is a database without an entry', catalog, (file) => writeFileSync(file, emptyDatabase())],
  ['it is another database', worlds, (file) => cpSync(join(whole, 'catalog/data.mdb'), file)],
  ['its magic is another', worlds, flip(24)],
  ['its pages are overwritten', worlds, pages],
  ['half of it is gone', worlds, cut(0.5)],
  ['it is empty', worlds, empty],
  ['it is a text', worlds, text],
  ['it is empty', key, empty],
  ['it is cut short', key, (file) => truncateSync(file, 20)],
  ['it is a text', key, text],
  ['it is missing beside a catalog', key, missing],
  ['it is another', key, (file) => writeFileSync(file, '07'.repeat(32))],
];

for (const [name, file, damage] of cases) {
  test(`${file}: ${name}`, { timeout: 240_000 }, async () => {
    const dataDirectory = join(temporaryFolder(), 'damaged');
    cpSync(whole, dataDirectory, { recursive: true });
    const place = join(dataDirectory, file.replace('*', projectFolder(dataDirectory)));
    damage(place);
    const before = existsSync(place) ? readFileSync(place) : undefined;
    const { code, stderr } = await serve({ dataDirectory }).ended;
    assert.equal(code, 1, stderr);
    assert.ok(stderr.includes(`The file ${place} is damaged: `), stderr);
    assert.match(stderr, /Nothing was changed\. Put it back from a backup/);
    assert.deepEqual(existsSync(place) ? readFileSync(place) : undefined, before);
  });
}

test('the same data without damage starts', async () => {
  const dataDirectory = join(temporaryFolder(), 'copied');
  cpSync(whole, dataDirectory, { recursive: true });
  const service = await startService({ dataDirectory });
  assert.equal((await service.stop()).code, 0);
});
