// Each argument that the client's types have of a method is one that the package takes, leaves out, or refuses.
import type { WebClient } from '@slack/web-api';
import type { markdownMethods, parameters, unserved, withoutEffect } from '../wire/parameters.js';

type Method = keyof typeof parameters;
type At<Value, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? At<Value[Head & keyof Value], Rest>
  : Value[Path & keyof Value];
type Names<Value> = Value extends undefined ? never : keyof Value;
/**
 * By method. Of a type with a parameter for the method the compiler would look at all methods at once, which is the product of all their
 * unions.
 */
type Sent = { [Name in Method]: At<WebClient, Name> extends (options: infer Options) => unknown ? Names<Options> : never };

type Known<Name extends Method> =
  | (typeof parameters)[Name][number]
  | (typeof withoutEffect)[number]
  | (Name extends keyof typeof unserved ? (typeof unserved)[Name][number] : never)
  | (Name extends (typeof markdownMethods)[number] ? 'markdown_text' : never)
  | 'token';

/** By method, what is in none of the lists. */
type Forgotten = { [Name in Method as Exclude<Sent[Name], Known<Name>> extends never ? never : Name]: Exclude<Sent[Name], Known<Name>> };

export const nothingForgotten: Record<keyof Forgotten, never> = {};
