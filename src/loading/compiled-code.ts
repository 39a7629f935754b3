// What V8 compiled of the bundles in one kind of thread or process, in one file, for the next of its kind: compiling is a fifth of the
// processor's time of a short command. Node.js keeps the code of modules only from 22 on.
//   COMPILED-CODE-1. Nothing is written but into the user's own cache of this build, into which nobody else may write, and nothing is read
//     but from there and from what came with the program. A file is named after the bytes of the bundles, and after where they lie: code
//     carries the names of its files, which traces tell.
//   COMPILED-CODE-2. Code is read only by the Node.js that wrote it, with the same flags of V8 on the same kind of processor; a file that
//     is damaged counts as none. What V8 refuses is compiled from its source.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import type { Script } from 'node:vm';
import { pruneOldest } from '../files/prune-oldest.js';
import { tryFolder } from '../files/try-folder.js';
import { buildCacheFolder, shippedCacheFolder } from '../files/user-cache-folder.js';
import { tuning } from './tuning.js';

type Parts = Map<string, Buffer>;

export class CompiledCode {
  readonly #name: string;
  readonly #own = folderIn(buildCacheFolder());
  readonly #known: Parts;
  readonly #scripts = new Map<string, Script>();
  #isWhole = true;

  /**
   * `kind`: a plain name of what loads the same code each time. `bundles`: what all that may be loaded is named after. `program`: where
   * it lies.
   */
  constructor(kind: string, { bundles, program }: { bundles: string; program: string }) {
    const compiler = `${process.version}-${process.arch}-${cachedDataVersionTag().toString(16)}`;
    this.#name = `${kind}-${bundles}-${digestOf(Buffer.from(program)).toString('hex')}-${compiler}`;
    this.#known = readParts(this.#own, this.#name) ?? readParts(folderIn(shippedCacheFolder()), this.#name) ?? new Map();
  }

  of(part: string): Buffer | undefined {
    return this.#known.get(part);
  }

  /** A part that was just loaded, with what `of` gave. */
  add(part: string, script: Script): void {
    this.#scripts.set(part, script);
    if (script.cachedDataRejected !== false) this.#isWhole = false;
  }

  /** Nothing where all that was loaded is kept already. */
  keep(): void {
    if (this.#isWhole || this.#own === undefined) return;
    this.#isWhole = true;
    const parts: Parts = new Map(this.#known);
    for (const [part, script] of this.#scripts) parts.set(part, script.createCachedData());
    writeParts(this.#own, this.#name, parts);
  }
}

const folderIn = (folder: string | undefined): string | undefined => (folder === undefined ? undefined : join(folder, 'code'));

/** A digest of the rest, a line that names the parts and their sizes, and the parts. */
function readParts(folder: string | undefined, name: string): Parts | undefined {
  if (folder === undefined) return undefined;
  try {
    const file = readFileSync(join(folder, name));
    const body = file.subarray(digestBytes);
    if (!digestOf(body).equals(file.subarray(0, digestBytes))) return undefined;
    const index = body.subarray(0, body.indexOf('\n')).toString();
    let at = index.length + 1;
    return new Map(
      (JSON.parse(index) as [string, number][]).map(([part, bytes]) => {
        at += bytes;
        return [part, body.subarray(at - bytes, at)];
      }),
    );
  } catch {
    return undefined;
  }
}

function writeParts(folder: string, name: string, parts: Parts): void {
  const index = `${JSON.stringify([...parts].map(([part, bytes]) => [part, bytes.length]))}\n`;
  const body = Buffer.concat([Buffer.from(index), ...parts.values()]);
  if (body.length > tuning.codeBytesMax) return;
  const draft = join(folder, `${name}.${randomUUID()}`);
  try {
    if (tryFolder(folder, { mode: 0o700 }) !== undefined) return;
    pruneOldest(folder, tuning.codeFilesMax);
    writeFileSync(draft, Buffer.concat([digestOf(body), body]), { mode: 0o600, flag: 'wx' });
    renameSync(draft, join(folder, name));
  } catch {
    // As if nothing was kept: a full disk keeps no part of it either.
    try {
      rmSync(draft, { force: true });
    } catch {
      // It is pruned with the rest.
    }
  }
}

/** Against damage; who may write here may run what they like anyway. */
const digestBytes = 20;
const digestOf = (bytes: Buffer): Buffer => createHash('sha1').update(bytes).digest();
