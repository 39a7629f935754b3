// The modules of one behavior: which file an import means, and its text, read once. What is bundled is what is captured.
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { limits } from '../contract/limits.js';
import type { SourceRefusal } from '../contract/run/project-view.js';
import type { DiagnosticCode } from './diagnostic-table.js';
import { entryKind, type FileFault, pathBelow, readFileBelow } from './source-files.js';

export type ModuleLoader = 'ts' | 'js' | 'json';
export interface BehaviorModule {
  /** Relative to the package, forward slashes. */
  path: string;
  text: string;
  bytes: number;
  loader: ModuleLoader;
}
export interface Refusal {
  code: DiagnosticCode;
  message: string;
  suggestion?: string;
}
export interface RefusedFile {
  path: string;
  reason: SourceRefusal;
  message: string;
}

export interface BundleFinding {
  code: DiagnosticCode;
  /** Relative to the root; undefined: the tool file's `module`. */
  file?: string | undefined;
  line: number;
  column: number;
  message: string;
  suggestion?: string | undefined;
}

const loaders: { readonly [extension: string]: ModuleLoader } = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.json': 'json',
};
const builtins = new Set(builtinModules);

export class BehaviorModules {
  readonly files = new Map<string, BehaviorModule>();
  readonly refused = new Map<string, RefusedFile>();
  /** What was imported, and what it meant: a file, or null for the SDK. */
  readonly imports: { specifier: string; importer: string; path: string | null }[] = [];
  readonly #root: string;
  readonly #isSdk: (specifier: string) => boolean;

  /** `root` is real and absolute; nothing outside of it is read. */
  constructor(root: string, isSdk: (specifier: string) => boolean) {
    this.#root = root;
    this.#isSdk = isSdk;
  }

  isSdk(specifier: string): boolean {
    return specifier === 'drillyard/tool-sdk' || this.#isSdk(specifier);
  }

  /** What an import in `importer` means: a file, or null for the SDK. Noted in `imports` where it means one of them. */
  import(specifier: string, importer: string): { path: string | null } | Refusal {
    const found = this.isSdk(specifier) ? { path: null } : this.resolve(specifier, importer);
    if ('path' in found) this.imports.push({ specifier, importer, path: found.path });
    return found;
  }

  /** The same without a note; undefined where it means nothing that can be imported. */
  meaningOf(specifier: string, importer: string): string | null | undefined {
    if (this.isSdk(specifier)) return null;
    const found = this.resolve(specifier, importer);
    return 'path' in found ? found.path : undefined;
  }

  /** The file that an import in `importer` means; '' is the importer of the entry. */
  resolve(specifier: string, importer: string): { path: string } | Refusal {
    if (!/^\.{1,2}(?:\/|$)/.test(specifier)) return importRefusal(specifier, importer);
    const path = pathBelow(posix.join(posix.dirname(importer), specifier));
    if (path === undefined) {
      this.#refuse(specifier, 'restricted_path', 'leads out of the package');
      return { code: 'DY6008', message: `'${specifier}' leads out of the package` };
    }
    for (const candidate of candidates(path)) {
      const kind = entryKind(this.#root, candidate);
      if (kind === 'symlink') {
        this.#refuse(candidate, 'symlink', 'is a symbolic link, or lies behind one');
        return { code: 'DY6008', message: `'${candidate}' is a symbolic link, or lies behind one` };
      }
      if (kind === 'file') return this.#checked(candidate);
    }
    this.#refuse(path, 'missing', 'does not exist');
    return { code: 'DY6001', message: `there is no module '${path}'` };
  }

  /** The text of a file that `resolve` gave. */
  load(path: string): BehaviorModule | Refusal {
    const known = this.files.get(path);
    if (known !== undefined) return known;
    const read = readFileBelow(this.#root, path, limits.behaviorBundleBytesMax);
    if (read.kind === 'fault') {
      this.#refuse(path, refusalOf[read.fault], read.message);
      return { code: 'DY6008', message: `'${path}' ${read.message}` };
    }
    const loader = loaders[posix.extname(path)] as ModuleLoader;
    const module = { path, text: read.text, bytes: read.bytes.length, loader };
    this.files.set(path, module);
    return module;
  }

  #checked(path: string): { path: string } | Refusal {
    if (path.split('/').some((name) => name.startsWith('.') || name === 'node_modules')) {
      this.#refuse(path, 'restricted_path', 'lies in a hidden folder or in node_modules');
      return { code: 'DY6008', message: `'${path}' lies in a hidden folder or in node_modules` };
    }
    if (loaders[posix.extname(path)] === undefined) {
      this.#refuse(path, 'unsupported_type', 'is not TypeScript, JavaScript or JSON');
      return { code: 'DY6008', message: `'${path}' is not TypeScript, JavaScript or JSON` };
    }
    return { path };
  }

  #refuse(path: string, reason: SourceRefusal, message: string): void {
    this.refused.set(path, { path, reason, message });
  }
}

const refusalOf: { [fault in FileFault]: SourceRefusal } = {
  missing: 'missing',
  unreadable: 'restricted_path',
  symlink: 'symlink',
  escape: 'restricted_path',
  not_a_file: 'unsupported_type',
  too_large: 'file_too_large',
  invalid_text: 'invalid_text',
};

function importRefusal(specifier: string, importer: string): Refusal {
  if (importer === '')
    return { code: 'DY6008', message: `a module is named by a relative path, not '${specifier}'`, suggestion: `Write './${specifier}'.` };
  const node = specifier.startsWith('node:') || builtins.has(specifier.split('/')[0] as string);
  return {
    code: 'DY6002',
    message: node
      ? `'${specifier}' is a module of Node; tool behavior has no access to the host`
      : `'${specifier}' is not declared: a behavior imports relative files of its package and drillyard/tool-sdk`,
    suggestion: node ? 'Time, randomness and events come from the context.' : 'Copy what you need into the package, as a relative file.',
  };
}

/** As written; then as TypeScript means `./x.js`; then without an extension. */
function candidates(path: string): string[] {
  const typescript = path.replace(/\.(m|c)?js$/, '.$1ts');
  const bare = ['.ts', '.mts', '.js', '.mjs', '.json'].map((extension) => path + extension);
  const index = ['.ts', '.js'].map((extension) => `${path}/index${extension}`);
  return [path, ...(typescript === path ? [] : [typescript]), ...bare, ...index];
}
