// A report folder as it was sealed: read by its manifest, whose digest somebody keeps elsewhere. What is not as it was sealed is not given.
//   SEALED-REPORT-1. A name is looked up in the manifest; it never becomes a path by itself.
//   SEALED-REPORT-2. A file that is not as it was sealed, or gone, is damage of that file (StoredDamage), and no fault of the program.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { sha256Digest } from '../../contract/digest.js';
import { limits } from '../../contract/limits.js';
import type { RunReport } from '../../contract/run/run-events.js';
import { StoredDamage } from '../../contract/stored-damage.js';
import { hasCode } from '../../files/file-faults.js';
import { FolderReader } from '../../reports/folder-reader.js';
import { type ManifestFile, parseManifest } from '../../reports/manifest.js';
import { evidenceFile, manifestFile, reportFile } from '../../reports/report-folder.js';
import type { ComparedRun } from './compare-runs.js';
import { wholeLines } from './journal-text.js';

/** Over the exact bytes of manifest.json, which names all the others with their digests. */
export async function manifestDigestOf(folder: string): Promise<string> {
  const text = await new FolderReader(folder).text(manifestFile, limits.reportManifestBytesMax);
  if (text === null) throw new Error(`${manifestFile} in ${folder} is too large, or is no text`);
  return sha256Digest(text);
}

export interface SealedBytes extends AsyncIterable<Uint8Array> {
  readonly bytes: number;
}

/** Where a report is, and what it is known by: enough for another thread to read it. */
export interface SealedPlace {
  folder: string;
  manifestDigest: string;
}

export class SealedReport {
  readonly #reader: FolderReader;
  readonly #folder: string;
  readonly #manifestDigest: string;

  constructor(folder: string, manifestDigest: string) {
    this.#reader = new FolderReader(folder);
    this.#folder = folder;
    this.#manifestDigest = manifestDigest;
  }

  get place(): SealedPlace {
    return { folder: this.#folder, manifestDigest: this.#manifestDigest };
  }

  /** Every file but the manifest. */
  async files(): Promise<readonly ManifestFile[]> {
    const parsed = parseManifest(await this.#manifestText());
    if ('fault' in parsed) throw this.#damaged(manifestFile);
    return parsed.manifest.files;
  }

  /** The bytes of one file, the manifest included; undefined where the manifest names none. */
  async file(name: string): Promise<Uint8Array | undefined> {
    if (name === manifestFile) return Buffer.from(await this.#manifestText());
    const listed = await this.#listed(name);
    if (listed === undefined) return undefined;
    const bytes = await this.#readOf(name, async () => {
      const pieces: Buffer[] = [];
      for await (const piece of this.#reader.pieces(listed.path)) pieces.push(piece);
      return Buffer.concat(pieces);
    });
    if (sha256Digest(bytes) !== listed.sha256) throw this.#damaged(name);
    return bytes;
  }

  /**
   * As `file`, in pieces. All of it is hashed before the first one leaves, and again as they leave: what changes meanwhile ends in an
   * error, and the client gets less than there is.
   */
  async stream(name: string): Promise<SealedBytes | undefined> {
    const listed = name === manifestFile ? undefined : await this.#listed(name);
    if (listed === undefined) {
      const whole = await this.file(name);
      return whole === undefined ? undefined : { bytes: whole.byteLength, [Symbol.asyncIterator]: () => once(whole) };
    }
    const { sha256 } = await this.#readOf(name, () => this.#reader.digest(listed.path));
    if (sha256 !== listed.sha256) throw this.#damaged(name);
    return { bytes: listed.bytes, [Symbol.asyncIterator]: () => this.#pieces(listed) };
  }

  async *#pieces({ path, sha256 }: ManifestFile): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    let last: Buffer | undefined;
    for await (const piece of this.#reader.pieces(path)) {
      hash.update(piece);
      if (last !== undefined) yield last;
      last = piece;
    }
    if (`sha256:${hash.digest('hex')}` !== sha256) throw this.#damaged(path);
    if (last !== undefined) yield last;
  }

  /** Its journal is read each time it is asked for, and hashed as it is read to its end. */
  async run(): Promise<ComparedRun> {
    const bytes = await this.file(reportFile);
    const evidence = await this.#listed(evidenceFile);
    if (bytes === undefined || evidence === undefined) throw this.#damaged(manifestFile);
    const { result } = JSON.parse(Buffer.from(bytes).toString()) as RunReport;
    return { result, evidence: { [Symbol.asyncIterator]: () => wholeLines(this.#pieces(evidence)) } };
  }

  async #listed(name: string): Promise<ManifestFile | undefined> {
    return (await this.files()).find(({ path }) => path === name);
  }

  async #manifestText(): Promise<string> {
    const text = await this.#readOf(manifestFile, () => this.#reader.text(manifestFile, limits.reportManifestBytesMax));
    if (text === null || sha256Digest(text) !== this.#manifestDigest) throw this.#damaged(manifestFile);
    return text;
  }

  #readOf<T>(name: string, read: () => Promise<T>): Promise<T> {
    return read().catch((error) => {
      throw hasCode(error, 'ENOENT') ? this.#damaged(name, 'it is missing') : error;
    });
  }

  #damaged(name: string, fault = 'it is not as it was sealed'): Error {
    return new StoredDamage(`The file ${join(this.#folder, name)} is damaged: ${fault}.`);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
