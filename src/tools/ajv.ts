// Ajv with its formats, as one file that the build makes (scripts/vendor.mjs). Its packages are more than a hundred files, which each host
// would find, read and parse one by one: two thirds of the time that a host takes to open its first world.
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { requireFile } from '../loading/own-code.js';

export interface AjvModules {
  readonly Ajv2020: typeof Ajv2020;
  readonly addFormats: ((ajv: Ajv2020) => void) & { get(name: string): FormatCheck };
  /** A piece of code, for keywords of our own. */
  readonly _: typeof import('ajv/dist/compile/codegen/index.js')._;
}
export type FormatCheck = RegExp | ((text: string) => boolean);

let loaded: AjvModules | undefined;

/** At the first need, as it takes time: a host that calls no tool, or a command that compiles nothing, has none. */
export function loadAjv(): AjvModules {
  loaded ??= requireFile(new URL('../vendor/ajv/index.cjs', import.meta.url)) as AjvModules;
  return loaded;
}
