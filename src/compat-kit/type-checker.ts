// Responses against the types of a vendor's client: many clients say more in their types than the vendor's document does.
//   TYPE-CHECKER-1. A type that the client does not have, or that says nothing, is an error of the author, never a response that passes.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program, Type } from 'typescript';
import { shareLibraries } from '../compiler/shared-libraries.js';
import { findTypeScript, type TypeScript } from '../compiler/typescript.js';
import { ServiceError } from '../contract/errors.js';
import { counted } from '../text/counted.js';
import type { RecordedExchange } from './definition.js';
import { tuning } from './tuning.js';
import { TypedValues } from './typed-value.js';

export interface TypeCheckerOptions {
  /** `import.meta.url` of the module that asks: packages of types are found from there. */
  from: string;
  /**
   * Of the body of a success (below 400), by id of the vendor's operation or else of the route: a type, such as
   * `import('@vendor/client').PageResponse`.
   */
  types: Readonly<Record<string, string>>;
  /** Of the body of an error. Default: it is not looked at. */
  errors?: string;
  /** What `types` says nothing of is fine. Default: a success of an operation without a type is a finding. */
  partial?: boolean;
  /** A member that an object type does not have is a fault. Default: such members are free. */
  closed?: boolean;
}

/**
 * A checkResponse. It needs TypeScript, which is found from `from` upwards, or beside Drillyard: without it control.INVALID_REQUEST is
 * thrown here, and not for each response.
 */
export function typeChecker(options: TypeCheckerOptions): (exchange: RecordedExchange) => string[] {
  const { types, errors, partial = false } = options;
  const typescript = requireTypeScript(folderOf(options));
  let known: KnownTypes | { error: unknown } | undefined;
  return (exchange) => {
    const { method, status, body, operation, routeId } = exchange;
    if (operation === undefined && routeId === undefined && status < 400) return [];
    const [id = ''] = [operation?.id, routeId].filter((one) => one !== undefined && Object.hasOwn(types, one));
    const wanted = status < 400 ? types[id] : errors;
    if (wanted === undefined) {
      return status >= 400 || partial ? [] : [`no type is given for ${operation?.id ?? routeId}`];
    }
    if (method === 'HEAD') return [];
    // Once, also where it fails: a program of types takes a second.
    known ??= knownTypes(typescript, options);
    if ('error' in known) throw known.error;
    return known.faultsOf(body, wanted);
  };
}

function folderOf({ from }: TypeCheckerOptions): string {
  return dirname(fileURLToPath(from));
}
function requireTypeScript(folder: string): TypeScript {
  const found = findTypeScript([folder, dirname(fileURLToPath(import.meta.url))]);
  if (!('typescript' in found)) throw invalid('typeChecker needs TypeScript 5 or 6: npm install --save-dev typescript@6');
  return found.typescript;
}

function knownTypes(typescript: TypeScript, options: TypeCheckerOptions): KnownTypes | { error: unknown } {
  const { types, errors, closed = false } = options;
  const texts = [...Object.values(types), ...(errors === undefined ? [] : [errors])];
  try {
    return new KnownTypes(folderOf(options), texts, { typescript, isClosed: closed });
  } catch (error) {
    return { error };
  }
}

class KnownTypes {
  readonly #values: TypedValues;
  readonly #types: ReadonlyMap<string, Type>;
  readonly #ts: TypeScript;

  constructor(folder: string, texts: readonly string[], { typescript, ...options }: { typescript: TypeScript; isClosed: boolean }) {
    this.#ts = typescript;
    const file = join(folder, 'drillyard-response-types.ts');
    const unique = [...new Set(texts)];
    const program = programOf(this.#ts, file, unique.map((text, index) => `export declare const type${index}: (${text});\n`).join(''));
    const checker = program.getTypeChecker();
    this.#values = new TypedValues(this.#ts, checker, options);
    const source = program.getSourceFile(file);
    const symbols = source === undefined ? [] : checker.getExportsOfModule(checker.getSymbolAtLocation(source) as never);
    const typeAt = new Map(symbols.map((symbol) => [symbol.name, checker.getTypeOfSymbol(symbol)]));
    this.#types = new Map(unique.map((text, index) => [text, typeAt.get(`type${index}`) as Type]));
    for (const [text, { flags }] of this.#types)
      if ((flags & (this.#ts.TypeFlags.Any | this.#ts.TypeFlags.Unknown)) !== 0)
        throw invalid(`The type ${text} says nothing of a response.`);
  }

  faultsOf(body: string, text: string): string[] {
    const type = this.#types.get(text) as Type;
    const { TypeFlags } = this.#ts;
    if (body === '') return (type.flags & (TypeFlags.Void | TypeFlags.Undefined)) !== 0 ? [] : ['there is no body'];
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return ['the body is no JSON'];
    }
    const faults = this.#values.faultsOf(value, type);
    const more = faults.length - tuning.faultsShown;
    return more <= 0 ? faults : [...faults.slice(0, tuning.faultsShown), `and ${counted(more, 'fault')} more`];
  }
}

/** Of one file that lies nowhere, in the folder from which its imports are to be found. */
function programOf(ts: TypeScript, file: string, text: string): Program {
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: [],
  };
  const host = ts.createCompilerHost(options);
  // What declarations say in comments is in no type. TypeScript before 5.3 reads it all the same.
  host.jsDocParsingMode = ts.JSDocParsingMode?.ParseNone;
  shareLibraries(ts, host, options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === file || fileExists.call(host, path);
  host.getSourceFile = (path, version, ...more) =>
    path === file ? ts.createSourceFile(file, text, version) : getSourceFile.call(host, path, version, ...more);
  const program = ts.createProgram({ rootNames: [file], options, host });
  const source = program.getSourceFile(file);
  const wrong = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  if (wrong.length > 0) {
    const words = wrong.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
    throw invalid(`The types of responses are not what they are called: ${words.join('; ')}`);
  }
  return program;
}

function invalid(message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message });
}
