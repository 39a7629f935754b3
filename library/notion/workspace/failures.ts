// Failures in Notion's words, and reading members of a body: whatever does not fit ends the call as Notion's validation does.
import { ToolFailure } from 'drillyard/tool-sdk';
import type { Json, Members } from './model.js';

export function invalid(message: string): never {
  throw new ToolFailure({ code: 'VALIDATION_ERROR', message });
}

export function notFound(object: string, id: string): never {
  throw new ToolFailure({
    code: 'OBJECT_NOT_FOUND',
    message: `Could not find ${object} with ID: ${id}. Make sure the relevant pages and databases are shared with your integration.`,
  });
}

/** A request that does not fit its schema; a path begins with where in the request it is: `body.`, `query.` or `path.`. */
export function unfit(path: string, should: string, value: unknown): never {
  return invalid(unfitWords(path, should, value));
}

export function unfitWords(path: string, should: string, value: unknown): string {
  return `${rootOf(path)} failed validation: ${mismatch(path, should, value)}`;
}

/** One of the members is to be there, and none is. */
export function fixOne(paths: readonly [string, ...string[]]): never {
  const lines = paths.map((path) => mismatch(path, 'defined', undefined));
  return invalid([`${rootOf(paths[0])} failed validation. Fix one:`, ...lines].join('\n'));
}

function mismatch(path: string, should: string, value: unknown): string {
  const instead = value === undefined ? 'undefined' : JSON.stringify(value).slice(0, 200);
  return `${path} should be ${should}, instead was \`${instead}\`.`;
}

const rootOf = (path: string): string => /^\w+/.exec(path)?.[0] ?? 'body';

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function members(value: Json | undefined, path: string): Members {
  return isMembers(value) ? value : unfit(path, value === undefined ? 'defined' : 'an object', value);
}

export function list(value: Json | undefined, path: string, itemsMax = 100): readonly Json[] {
  if (!Array.isArray(value)) return unfit(path, value === undefined ? 'defined' : 'an array', value);
  if (value.length > itemsMax) {
    return unfit(`${path}.length`, `≤ \`${itemsMax}\``, value.length);
  }
  return value as readonly Json[];
}

export function text(value: Json | undefined, path: string, lengthMax = 2000): string {
  if (typeof value !== 'string') return unfit(path, value === undefined ? 'defined' : 'a string', value);
  if (value.length > lengthMax) {
    return unfit(`${path}.length`, `≤ \`${lengthMax}\``, value.length);
  }
  return value;
}

export function flag(value: Json | undefined, path: string, otherwise = false): boolean {
  if (value === undefined) return otherwise;
  return typeof value === 'boolean' ? value : unfit(path, 'a boolean', value);
}

export function oneOf<Word extends string>(value: Json | undefined, path: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === value);
  return found ?? unfit(path, words.map((word) => `\`"${word}"\``).join(', '), value);
}

/** An id as the API shows it; it is taken with dashes or without, in any case. */
export function uuid(value: Json | undefined, path: string): string {
  const bare = typeof value === 'string' ? value.replaceAll('-', '').toLowerCase() : '';
  if (!/^[0-9a-f]{32}$/.test(bare)) {
    return unfit(path, value === undefined ? 'defined' : 'a valid uuid', value);
  }
  return [bare.slice(0, 8), bare.slice(8, 12), bare.slice(12, 16), bare.slice(16, 20), bare.slice(20)].join('-');
}
