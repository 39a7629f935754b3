// Evidence bundles that several machines share: each is one blob of the shared store, and its folder lies on those machines that have
// sealed or read it.
//   SHARED-BUNDLES-1. A bundle is in the store before the change that seals it, so every later owner of the catalog can read it.
//   SHARED-BUNDLES-2. A folder that was fetched appears whole, with every file as the sealed manifest lists it, or not at all.
// Bytes of the blob: u32 length of the manifest, the manifest, then the files in its order, each as long as it says.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { Semaphore } from '../../async/semaphore.js';
import type { SharedBlobs } from '../../contract/cluster-store.js';
import { limits } from '../../contract/limits.js';
import { manifestDigestOf, SealedReport } from '../../drills/stored/sealed-report.js';
import { flush } from '../../files/flush.js';
import { flushFile, flushFolder } from '../../files/flushed-copy.js';
import { askStore } from '../core/cluster-blobs.js';
import { bundleFolder, type EvidenceRecord } from './evidence-records.js';
import { PieceReader } from './piece-reader.js';

const manifestName = 'manifest.json';

export interface SealedFolder {
  /** Of the report. */
  folder: string;
  manifestDigest: string;
}

export class SharedBundles {
  readonly #directory: string;
  /** Not beside the bundles: a folder there is a bundle. */
  readonly #drafts: string;
  readonly #store: SharedBlobs;
  readonly #gate = new Semaphore(limits.blobWritesAtOnceMax);
  /** By bundle. */
  readonly #fetching = new Map<string, Promise<void>>();

  constructor({ dataDirectory, store }: { dataDirectory: string; store: SharedBlobs }) {
    this.#directory = dataDirectory;
    this.#drafts = join(dataDirectory, 'evidence-drafts');
    // Of an incarnation that was cut short.
    rmSync(this.#drafts, { recursive: true, force: true });
    this.#store = store;
  }

  /** Yields the digest under which the bundle is in the store. */
  async keep(sealed: SealedFolder): Promise<string> {
    const hash = createHash('sha256');
    for await (const piece of archiveOf(sealed)) hash.update(piece);
    const digest = `sha256:${hash.digest('hex')}`;
    await this.#gate.run(() => askStore(this.#store.put(digest, archiveOf(sealed))));
    return digest;
  }

  /** The folder is here when this resolves; where nobody has put it into the store, what is here is all there is. */
  async bring(record: EvidenceRecord): Promise<void> {
    const { archive, runId, bundle } = record;
    const { evidenceBundleId, manifestDigest } = bundle;
    const folder = bundleFolder(this.#directory, evidenceBundleId);
    if (archive === undefined || manifestDigest === undefined) return;
    // Another one may lie there, of a run that came to its end on another machine.
    const here = await manifestDigestOf(join(folder, runId)).catch(() => undefined);
    if (here === manifestDigest) return;
    let fetching = this.#fetching.get(evidenceBundleId);
    if (fetching === undefined) {
      fetching = this.#gate
        .run(() => this.#fetch({ archive, folder, runId, manifestDigest }))
        .finally(() => this.#fetching.delete(evidenceBundleId));
      this.#fetching.set(evidenceBundleId, fetching);
    }
    await fetching;
  }

  /** Removes folders of bundles that are no more: deleted while another machine had the catalog. Yields how many. */
  async sweep(isThere: (evidenceBundleId: string) => boolean): Promise<number> {
    const folder = dirname(bundleFolder(this.#directory, 'any'));
    let removed = 0;
    for (const name of existsSync(folder) ? await readdir(folder) : []) {
      if (isThere(name)) continue;
      await rm(join(folder, name), { recursive: true, force: true });
      removed += 1;
    }
    return removed;
  }

  async #fetch({ archive, folder, runId, manifestDigest }: FetchedBundle): Promise<void> {
    const body = await askStore(this.#store.get(archive));
    if (body === undefined) throw new Error(`the shared store has no evidence ${archive}`);
    const draft = join(this.#drafts, randomUUID());
    try {
      await mkdir(join(draft, runId), { recursive: true });
      await unpack(new PieceReader(body), { folder: join(draft, runId), manifestDigest });
      await flushFolder(draft);
      await mkdir(dirname(folder), { recursive: true });
      // What an incarnation has left there that did not come to its end.
      await rm(folder, { recursive: true, force: true });
      await rename(draft, folder);
      await flushFolder(dirname(folder));
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
}

interface FetchedBundle {
  archive: string;
  folder: string;
  runId: string;
  manifestDigest: string;
}

async function* archiveOf({ folder, manifestDigest }: SealedFolder): AsyncGenerator<Buffer> {
  const sealed = new SealedReport(folder, manifestDigest);
  const files = await sealed.files();
  const manifest = await readFile(join(folder, manifestName));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(manifest.length);
  yield Buffer.concat([head, manifest]);
  for (const { path } of files) {
    const bytes = await sealed.stream(path);
    if (bytes === undefined) throw new Error(`${path} in ${folder} is not as it was sealed`);
    for await (const piece of bytes) yield Buffer.from(piece);
  }
}

async function unpack(reader: PieceReader, { folder, manifestDigest }: SealedFolder): Promise<void> {
  const length = (await reader.exactly(4)).readUInt32BE(0);
  if (length > limits.reportManifestBytesMax) throw new Error('the evidence of the shared store has no manifest');
  await writeFile(join(folder, manifestName), await reader.exactly(length), { flag: 'wx' });
  await flushFile(join(folder, manifestName));
  const folders = new Set([folder]);
  // Its digest is looked at before it is believed.
  for (const { path, bytes, sha256 } of await new SealedReport(folder, manifestDigest).files()) {
    if (isAbsolute(path) || normalize(path) !== path || path.startsWith('..')) throw new Error(`${path} is no name in a bundle`);
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    folders.add(dirname(file));
    await writeExactly(file, reader.pieces(bytes), sha256);
  }
  for (const one of folders) await flushFolder(one);
}

async function writeExactly(path: string, pieces: AsyncIterable<Buffer>, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx');
  try {
    for await (const piece of pieces) {
      hash.update(piece);
      await file.writeFile(piece);
    }
    await flush(file);
  } finally {
    await file.close();
  }
  if (`sha256:${hash.digest('hex')}` !== sha256) throw new Error(`${path} of the shared store is not as it was sealed`);
}
