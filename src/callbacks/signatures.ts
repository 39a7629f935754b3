// The signatures of callbacks, each as the verifiers of its service compute it.
//   SIGNATURES-1. Everything that the receiver checks is made here, after evidence: the clock of the host reaches no world.
import { createHash, createHmac } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import type { CallbackSignature } from '../contract/world/callback-signature.js';

/** What is signed, as it would be sent without a signature. */
export interface Unsigned {
  method: string;
  /** As the receiver knows it: with its scheme, host and query. */
  url: string;
  contentType: string | undefined;
  body: Buffer;
  deliveryId: string;
}
/** What the signature makes of a request: headers beside its own; a body or URL that is not the one of before, where the scheme says so. */
export interface Signed {
  headers: { [name: string]: string };
  url: string;
  body: Buffer;
}
export interface SigningKey {
  secret: string;
  /** What the signature says of its time, in milliseconds since 1970. */
  atMs: number;
}

type Kind = CallbackSignature['kind'];
type Scheme<K extends Kind> = (
  request: Unsigned,
  key: SigningKey,
  signature: Extract<CallbackSignature, { kind: K }>,
) => Pick<Signed, 'headers'> & Partial<Signed>;

const schemes: { readonly [K in Kind]: Scheme<K> } = {
  none: () => ({ headers: {} }),
  'hmac-sha256': ({ body }, { secret }, { header, prefix }) => ({ headers: { [header]: prefix + hex(secret, body) } }),
  github: ({ body }, { secret }) => ({ headers: { 'x-hub-signature-256': `sha256=${hex(secret, body)}` } }),
  shopify: ({ body }, { secret }) => ({ headers: { 'x-shopify-hmac-sha256': base64(secret, body) } }),
  stripe: ({ body }, { secret, atMs }) => {
    const time = secondsOf(atMs);
    return { headers: { 'stripe-signature': `t=${time},v1=${hex(secret, `${time}.`, body)}` } };
  },
  slack: ({ body }, { secret, atMs }) => {
    const time = secondsOf(atMs);
    return { headers: { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${hex(secret, `v0:${time}:`, body)}` } };
  },
  'standard-webhooks': ({ body, deliveryId }, { secret, atMs }, { headers: family = 'webhook' }) => {
    const time = secondsOf(atMs);
    const signature = `v1,${base64(standardKey(secret), `${deliveryId}.${time}.`, body)}`;
    return { headers: { [`${family}-id`]: deliveryId, [`${family}-timestamp`]: time, [`${family}-signature`]: signature } };
  },
  'hubspot-v3': ({ method, url, body }, { secret, atMs }) => {
    const time = String(Math.floor(atMs));
    const signature = base64(secret, method + hubspotUrl(url), body, time);
    return { headers: { 'x-hubspot-request-timestamp': time, 'x-hubspot-signature-v3': signature } };
  },
  linear: (request, { secret, atMs }) => {
    const time = Math.floor(atMs);
    const body = withTimestamp(request.body, time);
    return { body, headers: { 'linear-timestamp': String(time), 'linear-signature': hex(secret, body) } };
  },
  twilio: ({ url, contentType, body }, { secret }) => {
    const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType ?? '');
    const signed = isForm || body.length === 0 ? url : withBodyHash(url, body);
    const text = signed + (isForm ? sortedParameters(body) : '');
    return { url: signed, headers: { 'x-twilio-signature': createHmac('sha1', secret).update(text).digest('base64') } };
  },
};

export function sign<K extends Kind>(request: Unsigned, signature: Extract<CallbackSignature, { kind: K }>, key: SigningKey): Signed {
  const scheme = schemes[signature.kind as K] as Scheme<K>;
  return { url: request.url, body: request.body, ...scheme(request, key, signature) };
}

type Key = string | Buffer;
function hmac(key: Key, parts: readonly (string | Buffer)[]) {
  const made = createHmac('sha256', key);
  for (const part of parts) made.update(part);
  return made;
}
const hex = (key: Key, ...parts: (string | Buffer)[]): string => hmac(key, parts).digest('hex');
const base64 = (key: Key, ...parts: (string | Buffer)[]): string => hmac(key, parts).digest('base64');

const secondsOf = (atMs: number): string => String(Math.floor(atMs / 1000));

/** The bytes that the secret is the base64 of, as verifiers read it; a secret that is no base64 stands for its own bytes. */
function standardKey(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, '');
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : Buffer.from(secret);
}

/** The signed text has these characters as they are, however the URL writes them. */
const hubspotDecoded = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;
const hubspotUrl = (url: string): string => url.replace(hubspotDecoded, (escaped) => decodeURIComponent(escaped));

/** The verifier believes no other time than the one inside of what is signed. A body that is no JSON object has no place for it. */
function withTimestamp(body: Buffer, webhookTimestamp: number): Buffer {
  const value = parsed(body.toString());
  if (!isJsonObject(value)) return body;
  return Buffer.from(JSON.stringify({ ...value, webhookTimestamp } satisfies JsonObject));
}
function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Of a body that is no form the URL says the hash, and the URL is what is signed. */
function withBodyHash(url: string, body: Buffer): string {
  return `${url}${url.includes('?') ? '&' : '?'}bodySHA256=${createHash('sha256').update(body).digest('hex')}`;
}

/** Names in order, each with its values, which are in order too and there once. */
function sortedParameters(body: Buffer): string {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(body.toString())) values.set(name, (values.get(name) ?? new Set()).add(value));
  return [...values.keys()]
    .sort()
    .flatMap((name) => [...(values.get(name) as Set<string>)].sort().map((value) => name + value))
    .join('');
}
