// What was made of some content, kept between commands: what one command parses or bundles, the next one reads. It is the user's own folder
// and never one of a repository, which could bring entries that say something else than its source.
//   CONTENT-CACHE-1. An entry is what was kept under its key by this build, or it is not there: what is cut short, of another build or not
//     the user's own is not read.
//   CONTENT-CACHE-2. A cache never fails a command: what cannot be read or written is made again.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../contract/json.js';
import { pruneOldest } from './prune-oldest.js';
import { tryFolder } from './try-folder.js';
import { tuning } from './tuning.js';
import { buildCacheFolder, shippedCacheFolder } from './user-cache-folder.js';

export class ContentCache {
  readonly #own: string | undefined;
  readonly #folders: readonly string[];
  #hasPruned = false;

  /** `own`: where entries are kept; without it none are. `shipped`: where they are looked for, too. Both of one build of this program. */
  constructor(own: string | undefined, shipped?: string) {
    this.#own = own;
    this.#folders = [own, shipped].filter((folder) => folder !== undefined);
  }

  /** That of the user, and what came with the program. */
  static ofUser(): ContentCache {
    return new ContentCache(buildCacheFolder(), shippedCacheFolder());
  }

  /** What came with the program: for source of strangers, of which nothing is kept. */
  static shipped(): ContentCache {
    return new ContentCache(undefined, shippedCacheFolder());
  }

  /** `kind`: a plain name; `key`: the content, or what stands for it. */
  read(kind: string, key: string): JsonValue | undefined {
    const name = nameOf(kind, key);
    for (const folder of this.#folders) {
      const value = readEntry(join(folder, name));
      if (value !== undefined) return value;
    }
    return undefined;
  }

  keep(kind: string, key: string, value: JsonValue): void {
    const folder = this.#own;
    const body = JSON.stringify(value);
    if (folder === undefined || body.length > tuning.cachedCharactersMax) return;
    const file = join(folder, nameOf(kind, key));
    const draft = `${file}.${randomUUID()}`;
    try {
      this.#prepare(folder);
      writeFileSync(draft, `${digestOf(body)}\n${body}`, { mode: 0o600, flag: 'wx' });
      renameSync(draft, file);
    } catch {
      // As if nothing was kept: a full disk keeps no part of it either.
      discard(draft);
    }
  }

  /** At the first entry that a command keeps: the folder is there, the user's own, and bounded. */
  #prepare(folder: string): void {
    if (this.#hasPruned) return;
    this.#hasPruned = true;
    tryFolder(folder, { mode: 0o700 });
    const now = new Date();
    utimesSync(folder, now, now);
    pruneOldest(folder, tuning.cachedEntriesMax);
    pruneOldest(join(folder, '..'), tuning.cachedBuildsMax);
  }
}

function discard(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // It is pruned with the rest.
  }
}

function readEntry(file: string): JsonValue | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    const body = text.slice(digestLength + 1);
    return digestOf(body) === text.slice(0, digestLength) ? (JSON.parse(body) as JsonValue) : undefined;
  } catch {
    return undefined;
  }
}

const nameOf = (kind: string, key: string): string => `${kind}-${digestOf(key)}`;

const digestLength = 64;
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
