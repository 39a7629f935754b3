// The kinds of values that a setting of `drillyard serve` takes: as text of a flag or a variable, and as a value of its configuration file.
import { databaseAddress, databaseParameters } from '../contract/cluster-database.js';
import { storeAddress } from '../contract/cluster-store.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { isJwksUrl } from '../control/organizations/jwks-url.js';
import { subnetOf } from '../http/trusted-proxies.js';

/** What a setting takes, said of a value that it does not. */
export class NotTaken extends Error {}

export interface ValueKind<Value> {
  /** Throws a NotTaken. */
  parse(text: string): Value;
  /** What it takes, in words: of a text, and of a file's value where that is another thing. */
  takes: string;
  takesInFile?: string;
  /** JSON Schema of it in a file. */
  schema: JsonObject;
  /** A file's value as the text that means the same; undefined for a value of another type. */
  textOf(value: JsonValue): string | undefined;
  /** It names a file or folder; in a file, relative to the folder of that file. */
  isPath?: boolean;
  /** What may be shown of a value that may have a secret in it. Default: all. */
  shown?(value: Value): JsonValue;
  /** One that it does not take may have a secret in it, too: nothing of it is shown. Default false. */
  mayBeSecret?: boolean;
}

/** Of a value that is not taken: what is wrong with it. */
export function faultOf({ mayBeSecret = false }: Pick<ValueKind<unknown>, 'mayBeSecret'>, value: JsonValue, takes: string): string {
  if (mayBeSecret) return `must be ${takes}; its value is not shown, as it may hold a secret.`;
  return `is ${JSON.stringify(value).slice(0, limits.quotedValueCharsMax)}; it must be ${takes}.`;
}

export function integer(min: number, max: number): ValueKind<number> {
  return {
    ...kind(`an integer from ${min} to ${max}`, (text) => {
      const value = Number(text);
      return /^\d{1,15}$/.test(text) && value >= min && value <= max ? value : undefined;
    }),
    schema: { type: 'integer', minimum: min, maximum: max },
    textOf: (value) => (typeof value === 'number' ? String(value) : undefined),
  };
}

export function choice<const Name extends string>(...names: Name[]): ValueKind<Name> {
  const takes = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  return { ...kind(takes, (text) => names.find((name) => name === text)), schema: { enum: names }, textOf: ofText };
}

export const yesNo: ValueKind<boolean> = {
  ...kind('true or false', (text) => ({ true: true, false: false })[text]),
  schema: { type: 'boolean' },
  textOf: (value) => (typeof value === 'boolean' ? String(value) : undefined),
};

export const nonEmpty = textKind('something other than nothing', (text) => (text.trim() === '' ? undefined : text));
/** A file or a folder. */
export const path: ValueKind<string> = { ...nonEmpty, isPath: true };
export const address = textKind('an IP address or a host name of this machine, such as 127.0.0.1', (text) =>
  /^[A-Za-z0-9.:_-]+$/.test(text) ? text : undefined,
);
export const url: ValueKind<string> = {
  mayBeSecret: true,
  ...textKind('a URL that begins with https:// or http://', (text) =>
    URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : undefined,
  ),
  shown: withoutSecrets,
};
export const jwksUrl: ValueKind<string> = {
  mayBeSecret: true,
  ...textKind('a URL that begins with https://, or one of this machine', (text) => (isJwksUrl(text) ? text : undefined)),
  shown: withoutSecrets,
};
export const origin: ValueKind<string> = {
  ...textKind('scheme, host and port alone, such as https://drills.example.com', originOf),
  mayBeSecret: true,
};
/** Of a node. */
export const nodeOrigin: ValueKind<string> = {
  ...textKind('http:// with host and port alone, such as http://10.0.0.11:8787: requests between nodes are plain HTTP', (text) => {
    const found = originOf(text);
    return found?.startsWith('http:') === true ? found : undefined;
  }),
  mayBeSecret: true,
};

const databaseTakes = [
  'a URL that begins with postgres:// or postgresql://',
  'in a password, %, #, /, ? and @ are written %25, %23, %2F, %3F and %40',
  `after a ? it may have ${databaseParameters.join(', ')}, and no other parameter`,
].join('; ');
/** Of PostgreSQL. */
export const databaseUrl: ValueKind<string> = {
  ...textKind(databaseTakes, (text) => (databaseAddress(text) === undefined ? undefined : text)),
  shown: withoutSecrets,
  mayBeSecret: true,
};
export const clusterStore: ValueKind<string> = {
  ...textKind('file:///folder, or s3://bucket/prefix with no more than ?endpoint= and region=', (text) =>
    storeAddress(text) === undefined ? undefined : text,
  ),
  mayBeSecret: true,
};
export const nodeName = textKind(`1 to ${limits.nodeNameCharsMax} letters, digits, dots and hyphens`, (text) =>
  /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(text) && text.length <= limits.nodeNameCharsMax ? text : undefined,
);

/** Of a program: one of them may be a secret. */
export const programArguments: ValueKind<string[]> = {
  mayBeSecret: true,
  ...kind('a JSON array of strings, such as ["--model","small"]', (text) => {
    const value = parsedJson(text);
    return isTexts(value) ? value : undefined;
  }),
  takesInFile: 'a list of texts',
  schema: { type: 'array', items: { type: 'string' } },
  textOf: (value) => (isTexts(value) ? JSON.stringify(value) : undefined),
  shown: (values) => values.map(() => redacted),
};

export const ports: ValueKind<number[]> = {
  ...kind('ports with commas between them, such as 443,8443', (text) => {
    const listed = text.split(',').map((one) => Number(one.trim()));
    const isFine = /^[\d, ]+$/.test(text) && listed.every((port) => Number.isInteger(port) && port >= 1 && port <= limits.portMax);
    return isFine ? listed : undefined;
  }),
  takesInFile: 'a list of ports',
  schema: { type: 'array', minItems: 1, items: { type: 'integer', minimum: 1, maximum: limits.portMax } },
  textOf: (value) => (Array.isArray(value) && value.every((one) => typeof one === 'number') ? value.join(',') : undefined),
};

export const subnets: ValueKind<string[]> = {
  ...kind('addresses or blocks of them, such as 10.0.0.7 or 10.0.0.0/24, and not everybody', (text) => {
    const listed = text.split(',').map((one) => one.trim());
    return listed.every((one) => subnetOf(one) !== undefined) ? listed : undefined;
  }),
  takesInFile: 'a list of addresses or blocks of them, such as 10.0.0.7 or 10.0.0.0/24, and not everybody',
  schema: { type: 'array', minItems: 1, items: { type: 'string' } },
  textOf: (value) => (isTexts(value) ? value.join(',') : undefined),
};

const redacted = '[redacted]';

function originOf(text: string): string | undefined {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  const isOne = parsed !== undefined && /^https?:$/.test(parsed.protocol) && text.replace(/\/$/, '').toLowerCase() === parsed.origin;
  return isOne ? parsed.origin : undefined;
}

function kind<Value>(takes: string, read: (text: string) => Value | undefined): Pick<ValueKind<Value>, 'takes' | 'parse'> {
  return {
    takes,
    parse: (text) => {
      const value = read(text);
      if (value === undefined) throw new NotTaken(takes);
      return value;
    },
  };
}

function textKind(takes: string, read: (text: string) => string | undefined): ValueKind<string> {
  return { ...kind(takes, read), schema: { type: 'string', minLength: 1 }, textOf: ofText };
}

function ofText(value: JsonValue): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of a URL: a password, and what a query says. */
function withoutSecrets(text: string): string {
  const parsed = new URL(text);
  if (parsed.password === '' && parsed.username === '' && parsed.search === '') return text;
  if (parsed.username !== '') parsed.username = 'redacted';
  if (parsed.password !== '') parsed.password = 'redacted';
  if (parsed.search !== '') parsed.search = 'redacted';
  return parsed.href;
}
