// The files a repository is made of, watched: the repository's folder and the tool packages it names that lie elsewhere.
//   SOURCE-WATCH-1. Nothing under a name that begins with a dot, nothing in node_modules, and nothing that a run writes is ever read.
//   SOURCE-WATCH-2. A change is kept until somebody asks for it, even during other work.
//   SOURCE-WATCH-3. A file that this process writes its own output to is no source, whatever it is called.
import { fstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { isBelow } from './is-below.js';
import { tuning } from './tuning.js';

export interface SourceWatchOptions {
  root: string;
  /** The root file, relative to `root`. */
  config: string;
  /** Files and folders that runs write. */
  written: readonly string[];
}

export class SourceWatch {
  readonly #options: SourceWatchOptions;
  readonly #watcher: FSWatcher;
  readonly #changed = new Set<string>();
  /** Files that stdout and stderr lead to. */
  readonly #output = new Set([1, 2].flatMap((descriptor) => identityOf(() => fstatSync(descriptor))));
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;

  private constructor(options: SourceWatchOptions) {
    this.#options = options;
    const ignored = (path: string): boolean => this.#isIgnored(path);
    this.#watcher = watch([options.root], { ignored, ignoreInitial: true, followSymlinks: false, ignorePermissionErrors: true });
    this.#watcher.on('all', (_, path) => this.#hear(path));
    // A folder that cannot be watched, for lack of handles, say: what can be watched still is.
    this.#watcher.on('error', () => {});
  }

  /** Resolves when every change from now on will be heard. */
  static async open(options: SourceWatchOptions): Promise<SourceWatch> {
    const opened = new SourceWatch(options);
    await new Promise<void>((ready) => opened.#watcher.once('ready', ready));
    opened.followPackages();
    return opened;
  }

  /** The root file may lie elsewhere, and name other folders now. */
  followPackages(): void {
    const { root, config } = this.#options;
    this.#watcher.add([resolve(root, config), ...packageFolders(root, config)].filter((place) => !isBelow(root, place)));
  }

  /** What has changed since the last call, once it is quiet; waits for the first change. Resolves with none when `signal` aborts. */
  async changes(signal: AbortSignal): Promise<string[]> {
    while (!signal.aborted && (this.#changed.size === 0 || this.#timer !== undefined)) {
      await new Promise<void>((wake) => {
        this.#wake = wake;
        signal.addEventListener('abort', () => wake(), { once: true });
      });
    }
    const changed = [...this.#changed];
    this.#changed.clear();
    return signal.aborted ? [] : changed;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#watcher.close();
  }

  #hear(path: string): void {
    if (this.#output.size > 0 && identityOf(() => statSync(path)).some((identity) => this.#output.has(identity))) return;
    this.#changed.add(path);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#wake?.();
    }, tuning.sourceQuietMs);
  }

  #isIgnored(path: string): boolean {
    const { root, written } = this.#options;
    const outside = !isBelow(root, path);
    const base = outside ? (packageFolders(root, this.#options.config).find((folder) => isBelow(folder, path)) ?? path) : root;
    const names = relative(base, path).split(sep);
    if (names.some((name) => name === 'node_modules' || (name.startsWith('.') && name !== '.' && name !== '..'))) return true;
    return written.some((place) => path === place || path.startsWith(place + sep));
  }
}

/** The root file may be broken while it is edited; it then names none. */
function packageFolders(root: string, config: string): string[] {
  try {
    const { toolPackages } = JSON.parse(readFileSync(resolve(root, config), 'utf8')) as { toolPackages?: unknown };
    const named = Array.isArray(toolPackages) ? toolPackages : [];
    return named.filter((name) => typeof name === 'string' && /^\.{1,2}(\/|$)/.test(name)).map((name) => resolve(root, name as string));
  } catch {
    return [];
  }
}

/** One for each name of a file; none for what is no file, or is not there. */
function identityOf(look: () => Stats): string[] {
  try {
    const stats = look();
    return stats.isFile() ? [`${stats.dev}:${stats.ino}`] : [];
  } catch {
    return [];
  }
}
