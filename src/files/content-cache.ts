// What was made of some content, kept between commands: what one command parses or bundles, the next one reads. It is the user's own folder
// and never one of a repository, which could bring entries that say something else than its source.
//   CONTENT-CACHE-1. An entry is what was kept under its key by this build, or it is not there: what is cut short, of another build or not
//     the user's own is not read.
//   CONTENT-CACHE-2. A cache never fails a command: what cannot be read or written is made again.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../contract/json.js';
import { tuning } from './tuning.js';
import { buildCacheFolder } from './user-cache-folder.js';

export class ContentCache {
  readonly #folder: string;
  #hasPruned = false;

  /** `folder`: of one build of this program. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** That of the user, of this build; undefined where there is none. */
  static ofUser(): ContentCache | undefined {
    const folder = buildCacheFolder();
    return folder === undefined ? undefined : new ContentCache(folder);
  }

  /** `kind`: a plain name; `key`: the content, or what stands for it. */
  read(kind: string, key: string): JsonValue | undefined {
    try {
      const text = readFileSync(this.#fileOf(kind, key), 'utf8');
      const body = text.slice(digestLength + 1);
      return digestOf(body) === text.slice(0, digestLength) ? (JSON.parse(body) as JsonValue) : undefined;
    } catch {
      return undefined;
    }
  }

  keep(kind: string, key: string, value: JsonValue): void {
    const body = JSON.stringify(value);
    if (body.length > tuning.cachedCharactersMax) return;
    try {
      this.#prepare();
      const file = this.#fileOf(kind, key);
      const draft = `${file}.${randomUUID()}`;
      writeFileSync(draft, `${digestOf(body)}\n${body}`, { mode: 0o600, flag: 'wx' });
      renameSync(draft, file);
    } catch {
      // As if nothing was kept.
    }
  }

  #fileOf(kind: string, key: string): string {
    return join(this.#folder, `${kind}-${digestOf(key)}`);
  }

  /** At the first entry that a command keeps: the folder is there, the user's own, and bounded. */
  #prepare(): void {
    if (this.#hasPruned) return;
    this.#hasPruned = true;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const now = new Date();
    utimesSync(this.#folder, now, now);
    prune(this.#folder, tuning.cachedEntriesMax);
    prune(join(this.#folder, '..'), tuning.cachedBuildsMax);
  }
}

/** Half of them go, the oldest first, so that it is not done at each command. */
function prune(folder: string, most: number): void {
  const names = readdirSync(folder);
  if (names.length <= most) return;
  const aged = names.map((name) => ({ name, at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  aged.sort((a, b) => a.at - b.at);
  for (const { name } of aged.slice(0, names.length - Math.floor(most / 2))) rmSync(join(folder, name), { recursive: true, force: true });
}

const digestLength = 64;
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
