// Looks at a data directory that nobody serves, piece by piece: the key, the catalog, each file of worlds, what sessions expect of them,
// blobs, bundles.
//   VERIFY-DATA-1. Nothing is written.
//   VERIFY-DATA-2. A piece is announced before it is read, so that the waiting process knows which one ended it.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { defined } from '../contract/defined.js';
import { isServiceError } from '../contract/errors.js';
import { worldsAdvice } from '../files/database.js';
import { digestOfFile } from '../files/file-digest.js';
import { type StoredWorld, verifyWorlds } from '../worlds/verify-worlds.js';
import { backupFault, backupFiles, isBackup, manifestName, readManifest } from './backup-manifest.js';
import { blobRoots } from './blob-sweep.js';
import { KeyFile, keyAdvice } from './catalog/key-file.js';
import { Keyring } from './catalog/keyring.js';
import { isLive, type SessionRecord, sessionTable } from './catalog/session-records.js';
import { everyRecord, type View } from './catalog/tables.js';
import { blobFile } from './core/blobs.js';
import { isOtherKey } from './core/server-key.js';
import { catalogAdvice, catalogFile, worldFilesIn, worldsFolder } from './data-folder.js';
import { bundleFolder, evidenceTable } from './runs/evidence-records.js';
import { projectFolder } from './sessions/project-worlds.js';
import { snapshotTable } from './sessions/snapshot-records.js';
import { verifyStreams } from './stream-files.js';
import { isUnfinished, unfinishedAdvice, unfinishedMark, unfinishedProblem } from './unfinished-mark.js';
import { type OpenCatalog, openCatalogFile, verifyCatalog } from './verify-catalog.js';

export interface DataFinding {
  file: string;
  /** What is wrong, as "it is empty". */
  problem: string;
  /** What to do. */
  advice: string;
}
export interface DataCounts {
  records: number;
  worldFiles: number;
  worlds: number;
  blobs: number;
  bundles: number;
}
export interface VerifyData {
  dataDirectory: string;
  keyFile?: string;
  /** Files that are not read: an earlier read of them ended its process. */
  skip: readonly string[];
  nowMs: number;
  /** The file that is read next. */
  begin(file: string): void;
  report(finding: DataFinding): void;
  /** What is wrong with the report folder of a bundle, each as "evidence.jsonl is missing". */
  verifyBundle(folder: string): Promise<string[]>;
}

const backupAdvice = 'Take another backup; this one is not restored.';
const sessionAdvice = 'Put the data directory back from a backup, or destroy the session.';
const blobAdvice = 'Put it back from a backup; what leads to it cannot be used without it.';
const bundleAdvice = 'Put its folder back from a backup, or delete the evidence.';

export async function verifyData(look: VerifyData): Promise<DataCounts> {
  const counts: DataCounts = { records: 0, worldFiles: 0, worlds: 0, blobs: 0, bundles: 0 };
  const { dataDirectory } = look;
  const file = catalogFile(dataDirectory);
  if (isUnfinished(dataDirectory))
    look.report({ file: join(dataDirectory, unfinishedMark), problem: unfinishedProblem, advice: unfinishedAdvice });
  else await verifyManifest(look);
  const catalog = await piece(look, { file, advice: catalogAdvice }, () => {
    if (!existsSync(file)) throw new Error('it is missing');
    return openCatalogFile(dataDirectory);
  });
  try {
    if (catalog !== undefined) {
      await piece(look, { file, advice: catalogAdvice }, (report) => {
        counts.records = verifyCatalog(catalog, report);
      });
    }
    await verifyKey(look, catalog);
    const worlds = await worldsOf(look, counts);
    if (catalog === undefined) return counts;
    await piece(look, { file, advice: sessionAdvice }, () => verifySessions(look, catalog.view, worlds));
    await piece(look, { file, advice: catalogAdvice }, () => verifyBlobs(look, catalog.view, counts));
    await piece(look, { file, advice: catalogAdvice }, () => verifyBundles(look, catalog.view, counts));
    return counts;
  } finally {
    await catalog?.close();
  }
}

/** Of a backup: its files are those that were backed up. */
async function verifyManifest(look: VerifyData): Promise<void> {
  const { dataDirectory } = look;
  if (!isBackup(dataDirectory)) return;
  await piece(look, { file: join(dataDirectory, manifestName), advice: backupAdvice }, async () => {
    const manifest = readManifest(dataDirectory);
    const listed: string[] = [];
    const damaged = new Set<string>();
    for await (const file of backupFiles(dataDirectory, manifest)) {
      const problem = await backupFault(dataDirectory, file);
      listed.push(file.path);
      if (problem === undefined) continue;
      damaged.add(file.path);
      look.report({ file: join(dataDirectory, file.path), problem, advice: backupAdvice });
    }
    await verifyStreams(dataDirectory, { manifest, listed }, async (path, fault) => {
      if (damaged.has(path)) return;
      await piece(look, { file: join(dataDirectory, path), advice: backupAdvice }, async (report) => {
        const problem = await fault();
        if (problem !== undefined) report(problem);
      });
    });
  });
}

/** What throws is a finding; undefined where it threw, or is not to be read again. */
async function piece<T>(
  { begin, report, skip }: VerifyData,
  { file, advice }: { file: string; advice: string },
  work: (report: (problem: string) => void) => T | Promise<T>,
): Promise<T | undefined> {
  if (skip.includes(file)) return undefined;
  begin(file);
  // It is heard before the file is read.
  await nextTurn();
  try {
    return await work((problem) => report({ file, problem, advice }));
  } catch (error) {
    report({ file, problem: problemOf(error as Error), advice });
    return undefined;
  }
}

/** Of a damaged file the reason alone: the finding names the file. */
function problemOf(error: Error): string {
  const reason = isServiceError(error, 'control.DATA_DAMAGED') ? error.extra.details?.reason : undefined;
  return typeof reason === 'string' ? reason : error.message;
}

async function verifyKey(look: VerifyData, catalog: OpenCatalog | undefined): Promise<void> {
  const { dataDirectory, keyFile, nowMs } = look;
  const place = { dataDirectory, ...defined({ keyFile }) };
  const file = new KeyFile(place).path;
  await piece(look, { file, advice: keyAdvice }, () => {
    if (!existsSync(file)) throw new Error('it is missing; name it with --key-file if it lies elsewhere');
    const keyring = Keyring.open({ ...place, nowMs: () => nowMs });
    if (catalog !== undefined && isOtherKey(catalog.view, keyring))
      throw new Error('it is not the key that this data directory was used with');
  });
}

/** The folders of worlds that were read whole, by their names. */
type WorldFolders = ReadonlyMap<string, { file: string; worlds: ReadonlyMap<string, StoredWorld> }>;

async function worldsOf(look: VerifyData, counts: DataCounts): Promise<{ folders: WorldFolders; unread: ReadonlySet<string> }> {
  const folders = new Map<string, { file: string; worlds: Map<string, StoredWorld> }>();
  const unread = new Set<string>();
  const place = { file: worldsFolder(look.dataDirectory), advice: worldsAdvice };
  const files = await piece(look, place, () => worldFilesIn(look.dataDirectory));
  if (files === undefined) unread.add('worlds');
  for (const file of files ?? []) {
    counts.worldFiles += 1;
    const folder = basename(dirname(dirname(file)));
    const found = await piece(look, { file, advice: worldsAdvice }, (report) => verifyWorlds(file, report));
    if (found === undefined) unread.add(folder);
    counts.worlds += found?.length ?? 0;
    const known = folders.get(folder) ?? { file, worlds: new Map<string, StoredWorld>() };
    for (const world of found ?? []) known.worlds.set(world.worldId, world);
    folders.set(folder, known);
  }
  return { folders, unread };
}

function verifySessions(look: VerifyData, view: View, { folders, unread }: Awaited<ReturnType<typeof worldsOf>>): void {
  for (const record of everyRecord(view, sessionTable)) {
    const { projectId, sessionId } = record.session;
    const world = worldOf(folders, record);
    if (!hasWorld(record) || world !== undefined || unread.has(projectFolder(projectId)) || unread.has('worlds')) continue;
    look.report({
      file: catalogFile(look.dataDirectory),
      problem: `the world of session ${sessionId} is in no file of worlds`,
      advice: sessionAdvice,
    });
  }
  for (const { snapshot, worldSnapshotId } of everyRecord(view, snapshotTable)) {
    const record = view.get(sessionTable, snapshot.sessionId);
    const world = record === undefined || !isLive(record) ? undefined : worldOf(folders, record);
    if (snapshot.state !== 'available' || world === undefined || worldSnapshotId === undefined) continue;
    const held = world.snapshots.get(worldSnapshotId);
    const isSame = held !== undefined && held.evidenceHash === (snapshot.position?.evidenceHash ?? held.evidenceHash);
    const file = folders.get(projectFolder(snapshot.projectId))?.file ?? catalogFile(look.dataDirectory);
    if (!isSame)
      look.report({
        file,
        problem: `the snapshot ${snapshot.hostedSnapshotId} is not there, or has another evidence hash`,
        advice: sessionAdvice,
      });
  }
  for (const { file, worlds } of folders.values()) {
    for (const worldId of worlds.keys()) {
      if (view.get(sessionTable, worldId) !== undefined) continue;
      look.report({
        file,
        problem: `the world ${worldId} belongs to no session`,
        advice: 'It harms nobody; put the catalog of the same time back if the session is missed.',
      });
    }
  }
}

/** Those of the folder of the project; of an early version, of the folder above. */
function worldOf(folders: WorldFolders, { session: { projectId, sessionId } }: SessionRecord): StoredWorld | undefined {
  return folders.get(projectFolder(projectId))?.worlds.get(sessionId) ?? folders.get('worlds')?.worlds.get(sessionId);
}
const hasWorld = (record: SessionRecord): boolean => isLive(record) && !['creating', 'warming'].includes(record.session.state);

async function verifyBlobs(look: VerifyData, view: View, counts: DataCounts): Promise<void> {
  const owners = new Map<string, string>();
  const trees: [digest: string, owner: string][] = [];
  for (const { digest, owner, isTree, isKept } of blobRoots(view, look.nowMs)) {
    if (isKept && !owners.has(digest)) owners.set(digest, owner);
    if (isTree) trees.push([digest, owner]);
  }
  const whole = new Set<string>();
  const verify = async (digest: string, owner: string): Promise<void> => {
    counts.blobs += 1;
    const file = blobFile(look.dataDirectory, digest);
    if (file === undefined) {
      look.report({
        file: catalogFile(look.dataDirectory),
        problem: `${owner} leads to '${digest}', which is no digest`,
        advice: catalogAdvice,
      });
      return;
    }
    await piece(look, { file, advice: blobAdvice }, async () => {
      if (!existsSync(file)) throw new Error(`it is missing, and ${owner} needs it`);
      if ((await digestOf(file)) !== digest) throw new Error(`its bytes are not those of its digest, and ${owner} needs it`);
      whole.add(digest);
    });
  };
  for (const [digest, owner] of owners) await verify(digest, owner);
  for (const [digest, owner] of trees) {
    for (const child of whole.has(digest) ? childrenOf(blobFile(look.dataDirectory, digest) as string) : []) {
      if (owners.has(child)) continue;
      owners.set(child, owner);
      await verify(child, owner);
    }
  }
}

/** Of the text of a tree, whose digest is right. */
function childrenOf(file: string): string[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { digest: string }[]).map(({ digest }) => digest);
}

const digestOf = async (file: string): Promise<string> => `sha256:${(await digestOfFile(file)).sha256}`;

async function verifyBundles(look: VerifyData, view: View, counts: DataCounts): Promise<void> {
  for (const { bundle, runId } of everyRecord(view, evidenceTable)) {
    if (bundle.state !== 'sealed') continue;
    counts.bundles += 1;
    const folder = join(bundleFolder(look.dataDirectory, bundle.evidenceBundleId), runId);
    await piece(look, { file: folder, advice: bundleAdvice }, async (report) => {
      const manifest = join(folder, 'manifest.json');
      if (!existsSync(manifest)) throw new Error('it has no manifest');
      const isOther = bundle.manifestDigest !== undefined && (await digestOf(manifest)) !== bundle.manifestDigest;
      if (isOther) report('its manifest is not the one that was sealed');
      for (const problem of await look.verifyBundle(folder)) report(problem);
    });
  }
}
