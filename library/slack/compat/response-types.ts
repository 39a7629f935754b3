// The client's own types as the oracle: a response is written down as a literal of the type that the client says it has, and the TypeScript
// compiler says what is wrong with it. Below the top, whose type is open, a member that the client does not know is wrong too.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** `chat.postMessage` has ChatPostMessageResponse. */
export const typeNameOf = (method: string): string =>
  `${method
    .split('.')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')}Response`;

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
};

/** Checks responses one after another; the client's types are read once. */
export class ResponseTypes {
  readonly #file: string;
  readonly #service: ts.LanguageService;
  #text = '';
  #version = 0;

  /** `packageName`: whose types they are, as seen from `from`. */
  constructor(
    readonly packageName: string,
    from: string,
  ) {
    const found = createRequire(from).resolve(packageName);
    const folder = found.slice(0, found.lastIndexOf(join('node_modules', ...packageName.split('/'))));
    this.#file = join(folder, 'response-under-check.ts');
    const isOwn = (file: string): boolean => file === this.#file;
    // Read once: the service asks for each file of the client's types again at each response.
    const snapshots = new Map<string, ts.IScriptSnapshot | undefined>();
    const snapshotOf = (text: string | undefined) => (text === undefined ? undefined : ts.ScriptSnapshot.fromString(text));
    this.#service = ts.createLanguageService({
      getCompilationSettings: () => options,
      getScriptFileNames: () => [this.#file],
      getScriptVersion: (file) => (isOwn(file) ? String(this.#version) : '0'),
      getScriptSnapshot: (file) => {
        if (isOwn(file)) return snapshotOf(this.#text);
        if (!snapshots.has(file)) snapshots.set(file, snapshotOf(ts.sys.readFile(file)));
        return snapshots.get(file);
      },
      getCurrentDirectory: () => dirname(this.#file),
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (file) => isOwn(file) || ts.sys.fileExists(file),
      readFile: (file) => (isOwn(file) ? this.#text : ts.sys.readFile(file)),
      readDirectory: ts.sys.readDirectory,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
      realpath: ts.sys.realpath ?? ((path) => path),
    });
  }

  /** What is wrong with the JSON text as a value of the type; an empty list: nothing. */
  faultsOf(typeName: string, json: string): string[] {
    this.#version += 1;
    // The client's enums are of texts, and JSON has the texts.
    this.#text = [
      `import type { ${typeName} } from '${this.packageName}';`,
      `type Plain<T> = T extends string ? \`\${T}\` : T extends (infer Item)[] ? Plain<Item>[] : T extends object ? PlainObject<T> : T;`,
      'type PlainObject<T> = { [K in keyof T]: Plain<T[K]> };',
      `export const response: Plain<${typeName}> = ${json};`,
    ].join('\n');
    const diagnostics = [...this.#service.getSyntacticDiagnostics(this.#file), ...this.#service.getSemanticDiagnostics(this.#file)];
    return diagnostics.map(({ messageText }) => `${typeName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  }
}
