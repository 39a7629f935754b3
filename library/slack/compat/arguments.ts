// Each argument that the client's types have of a method is one that the package takes, leaves out, or refuses.
import type { WebClient } from '@slack/web-api';
import type { markdownMethods, parameters, unserved, withoutEffect } from '../wire/parameters.js';

/** The types of chat.postMessage are a product of unions, which the compiler does not take apart. */
type Method = Exclude<keyof typeof parameters, 'chat.postMessage'>;
type At<Value, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? At<Value[Head & keyof Value], Rest>
  : Value[Path & keyof Value];
type Names<Value> = Value extends undefined ? never : keyof Value;
type Sent<Name extends Method> = At<WebClient, Name> extends (options: infer Options) => unknown ? Names<Options> : never;

type Known<Name extends Method> =
  | (typeof parameters)[Name][number]
  | (typeof withoutEffect)[number]
  | (Name extends keyof typeof unserved ? (typeof unserved)[Name][number] : never)
  | (Name extends (typeof markdownMethods)[number] ? 'markdown_text' : never)
  | 'token';

/** By method, what is in none of the lists. */
type Forgotten = { [Name in Method as Exclude<Sent<Name>, Known<Name>> extends never ? never : Name]: Exclude<Sent<Name>, Known<Name>> };

export const nothingForgotten: Record<keyof Forgotten, never> = {};
