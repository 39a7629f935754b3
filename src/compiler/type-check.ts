// The type errors of TypeScript modules. `validate` alone asks for them: the compiler transpiles, and runs stay fast. A hosted service
// never comes here, as a TypeScript program reads whatever its imports and its tsconfig.json name, wherever that lies.
//   TYPE-CHECK-1. Reported are files below the repository or a package of it. Installed packages and declaration files are believed.
//   TYPE-CHECK-2. What the compiler has said of a place already is not said again.
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { CompilerHost, CompilerOptions, Program, SourceFile, Diagnostic as TsDiagnostic } from 'typescript';
import type { Diagnostic } from '../contract/run/build.js';
import { deniedNames } from '../tools/ambient.js';
import { Diagnostics, type Place, placeOfFile } from './diagnostics.js';
import { shareLibraries } from './shared-libraries.js';
import { addedTypes, defaultOptions, type FoundConfig, readConfig, tellsOfAdded, untypedNode, withOwnTypes } from './type-options.js';
import type { TypeScript } from './typescript.js';
import type { TypeScriptFile, TypeScriptSources } from './typescript-sources.js';

/** `known` and the type errors, ordered by place. */
export function checkTypes(ts: TypeScript, sources: TypeScriptSources, known: readonly Diagnostic[]): Diagnostic[] {
  const found = new TypeErrors(ts, sources, known);
  for (const group of groupsOf(ts, sources, found)) {
    const program = programOf(ts, sources, group);
    for (const file of program.getSourceFiles()) {
      if (file.isDeclarationFile || found.shownPath(file.fileName) === undefined) continue;
      for (const error of [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]) found.add(error, group);
    }
  }
  return found.sorted();
}

/** Files that are checked together. */
interface Group {
  files: string[];
  options: CompilerOptions;
  /** Without options of the repository's own. */
  byDefault: TypeScriptFile['role'] | undefined;
  hasNodeTypes: boolean;
  hasBehavior: boolean;
}

function groupsOf(ts: TypeScript, sources: TypeScriptSources, found: TypeErrors): Iterable<Group> {
  const configs = new Map<string, FoundConfig>();
  const groups = new Map<string, Group>();
  const hasNodeTypes =
    ts.resolveTypeReferenceDirective('node', join(sources.root, 'any.ts'), {}, ts.sys).resolvedTypeReferenceDirective !== undefined;
  for (const { path, role } of sources.files) {
    const place = ts.findConfigFile(dirname(path), ts.sys.fileExists);
    const config = place === undefined ? undefined : (configs.get(place) ?? readConfig(ts, place));
    if (place !== undefined && config !== undefined && !configs.has(place)) {
      configs.set(place, config);
      for (const error of config.errors) found.addOfConfig(error, place);
    }
    const byDefault = config?.options === undefined ? role : undefined;
    const key = byDefault ?? (place as string);
    const group = groups.get(key);
    if (group !== undefined) {
      group.files.push(path);
      group.hasBehavior ||= role === 'behavior';
    } else {
      const options = config?.options ?? defaultOptions(ts, role, { hasNodeTypes });
      groups.set(key, {
        files: [path],
        options: withOwnTypes(ts, options, path, sources.sdkNames),
        byDefault,
        hasNodeTypes,
        hasBehavior: role === 'behavior',
      });
    }
  }
  return groups.values();
}

function programOf(ts: TypeScript, { root }: TypeScriptSources, { files, options, byDefault, hasNodeTypes, hasBehavior }: Group): Program {
  const host = ts.createCompilerHost(options);
  host.getCurrentDirectory = () => root;
  shareLibraries(ts, host, options);
  const added: { [name: string]: string } = {
    ...(byDefault === 'agent' && !hasNodeTypes ? { 'untyped-node': untypedNode } : {}),
    ...(hasBehavior && !tellsOfAdded(options, hasNodeTypes) ? { 'tool-globals': addedTypes } : {}),
  };
  return ts.createProgram({ rootNames: [...files, ...addDeclarations(ts, host, { root, added })], options, host });
}

/** Files that are nowhere on the disk, by name. */
function addDeclarations(
  ts: TypeScript,
  host: CompilerHost,
  { root, added }: { root: string; added: { readonly [name: string]: string } },
): string[] {
  const texts = new Map(
    Object.entries(added).map(([name, text]) => [join(root, `drillyard-${name}.d.ts`).split(sep).join('/'), text] as const),
  );
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists.call(host, path);
  host.readFile = (path) => texts.get(path) ?? readFile.call(host, path);
  host.getSourceFile = (path, version, ...more) => {
    const text = texts.get(path);
    return text === undefined ? getSourceFile.call(host, path, version, ...more) : ts.createSourceFile(path, text, version);
  };
  return [...texts.keys()];
}

/** Codes of TypeScript's diagnostics. */
const typeCodes = {
  /** Names that are not declared, as far as TypeScript has words for what may be meant. */
  unknownName: new Set([2304, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593]),
  /** A package without types: only who asks for options of their own wants to know. */
  untypedPackage: 7016,
};

class TypeErrors {
  readonly #ts: TypeScript;
  readonly #sources: TypeScriptSources;
  readonly #behaviors: ReadonlySet<string>;
  readonly #found = new Diagnostics();
  /** Lines of which the compiler has spoken, files that it could not parse, and what has been added. */
  readonly #reported = new Set<string>();

  constructor(ts: TypeScript, sources: TypeScriptSources, known: readonly Diagnostic[]) {
    this.#ts = ts;
    this.#sources = sources;
    this.#behaviors = new Set(sources.files.filter(({ role }) => role === 'behavior').map(({ path }) => slashed(path)));
    for (const diagnostic of known) {
      const { code, severity, file, line } = diagnostic;
      this.#found.add(diagnostic);
      if (severity === 'error') this.#reported.add(code === 'DY6003' ? file : `${file}:${line}`);
    }
  }

  /** Undefined for a file of which nothing is reported. */
  shownPath(path: string): string | undefined {
    const { root, packages } = this.#sources;
    for (const folder of [{ root, shownAs: '' }, ...packages]) {
      const below = relative(folder.root, path);
      if (below === '' || below.startsWith('..') || isAbsolute(below)) continue;
      return below.split(sep).includes('node_modules') ? undefined : folder.shownAs + slashed(below);
    }
    return undefined;
  }

  add(error: TsDiagnostic, { byDefault }: Pick<Group, 'byDefault'>): void {
    const { file, start = 0, code } = error;
    const shown = file && this.shownPath(file.fileName);
    if (file === undefined || shown === undefined || (byDefault !== undefined && code === typeCodes.untypedPackage)) return;
    if (typeCodes.unknownName.has(code) && this.#isDenied(file, error)) return;
    const { line, character } = file.getLineAndCharacterOfPosition(start);
    this.#report(error, { file: shown, line: line + 1, column: character + 1, path: '' });
  }

  addOfConfig(error: TsDiagnostic, path: string): void {
    const file = slashed(relative(this.#sources.root, error.file?.fileName ?? path));
    const at = error.file?.getLineAndCharacterOfPosition(error.start ?? 0);
    this.#report(error, at === undefined ? placeOfFile(file) : { file, line: at.line + 1, column: at.character + 1, path: '' });
  }

  sorted(): Diagnostic[] {
    return this.#found.sorted();
  }

  #report(error: TsDiagnostic, place: Place): void {
    const { file, line, column } = place;
    if (error.category !== this.#ts.DiagnosticCategory.Error || this.#reported.has(file) || this.#reported.has(`${file}:${line}`)) return;
    const lines = this.#ts.flattenDiagnosticMessageText(error.messageText, '\n').split('\n');
    const message = `${lines.map((text) => text.trim()).join(' ')} (TS${error.code})`;
    // A file may be checked as a part of several programs.
    const key = `${file}:${line}:${column} ${message}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#found.report('DY6011', place, message);
  }

  /** DY6006 speaks of names that a behavior has not, and has better advice than another `lib`. */
  #isDenied({ fileName, text }: SourceFile, { start = 0, length = 0 }: TsDiagnostic): boolean {
    return this.#behaviors.has(fileName) && Object.hasOwn(deniedNames, text.slice(start, start + length));
  }
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}
