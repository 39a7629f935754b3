// The patterns of a schema with their places, for the message about one that is not taken.
import type { JsonValue } from '../../contract/json.js';
import type { JsonSchema } from '../../contract/world/tool-manifest.js';
import { patternFault } from './schema-pattern.js';

/** Members that hold values, not schemas. */
const values = new Set(['const', 'enum', 'default', 'examples']);

/** The first pattern that is not taken, by its JSON Pointer into the schema. */
export function patternRefused(schema: JsonSchema): { path: string; message: string } | undefined {
  return refusedIn(schema as JsonValue, '');
}

function refusedIn(value: JsonValue, path: string): { path: string; message: string } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const found =
      name === 'pattern' && typeof member === 'string'
        ? faultOf(member, at)
        : values.has(name)
          ? undefined
          : (keysRefused(name, member, at) ?? refusedIn(member, at));
    if (found !== undefined) return found;
  }
  return undefined;
}

function keysRefused(name: string, member: JsonValue, path: string): { path: string; message: string } | undefined {
  if (name !== 'patternProperties' || typeof member !== 'object' || member === null) return undefined;
  for (const pattern of Object.keys(member)) {
    const found = faultOf(pattern, `${path}/${pattern.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function faultOf(pattern: string, path: string): { path: string; message: string } | undefined {
  const message = patternFault(pattern);
  return message === undefined ? undefined : { path, message };
}
