// Where a request to a wire route carries its credential, and the request without it.
import type { RouteAuth } from '../contract/world/tool-manifest.js';
import type { WireBody } from '../contract/world/wire.js';
import { formDecoded } from '../http/query.js';
import type { ServerRequest } from '../http/server.js';
import { signatureOf } from './signed-request.js';

export type Lists = { [name: string]: string[] };

export type CredentialRequest = Pick<ServerRequest, 'headers' | 'repeatedHeaders' | 'query'>;

export interface CredentialPlace {
  auth: RouteAuth;
  texts: readonly string[];
}
/** The first place of a route at which a request has anything: what it has at the others does not count. */
export function credentialOf(
  auths: readonly RouteAuth[],
  request: CredentialRequest,
  lists: { query: Lists; form?: Lists | undefined },
): CredentialPlace | undefined {
  for (const auth of auths) {
    const texts = credentialsIn(auth, request, lists);
    if (texts.length > 0) return { auth, texts };
  }
  return undefined;
}

/** Texts that may be a token, at this place and nowhere else. `form`: undefined where none was read. */
export function credentialsIn(
  auth: RouteAuth,
  request: CredentialRequest,
  lists: { query: Lists; form?: Lists | undefined },
): readonly string[] {
  const { headers, repeatedHeaders } = request;
  switch (auth.kind) {
    case 'bearer': {
      const authorization = headers.get('authorization') ?? '';
      const [, scheme = '', token] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
      const { schemes = [] } = auth;
      const known = (schemes.length === 0 ? ['Bearer'] : schemes).some((name) => name.toLowerCase() === scheme.toLowerCase());
      return known && token !== undefined ? [token] : [];
    }
    case 'basic': {
      const { token, username } = auth;
      return loginsIn(request).flatMap(({ user, password }) => {
        if (token === 'username') return [user];
        if (username !== undefined && user !== username) return [];
        return token === 'password' || username !== undefined ? [password] : [password, user];
      });
    }
    case 'header': {
      const name = auth.name.toLowerCase();
      const value = headers.get(name);
      return value === undefined ? [] : (repeatedHeaders.get(name) ?? [value]);
    }
    case 'query':
    case 'form': {
      const fields = lists[auth.kind] ?? {};
      return Object.hasOwn(fields, auth.name) ? (fields[auth.name] as string[]) : [];
    }
    case 'sigv4': {
      const keyId = signatureOf(request)?.keyId;
      return keyId === undefined ? [] : [keyId];
    }
    case 'cookie':
      return cookiesIn(request).get(auth.name) ?? [];
    // The address says which access it is; who has no use for one may say it with the token.
    case 'none':
      return credentialsIn({ kind: 'bearer' }, request, lists);
  }
}

/** What routes of many tools may ask for is read from a request once. */
function readOnce<Part>(read: (request: CredentialRequest) => Part): (request: CredentialRequest) => Part {
  const known = new WeakMap<CredentialRequest['headers'], { part: Part }>();
  return (request) => {
    const earlier = known.get(request.headers);
    if (earlier !== undefined) return earlier.part;
    const part = read(request);
    known.set(request.headers, { part });
    return part;
  };
}

interface Login {
  user: string;
  password: string;
}
/** As RFC 7617 has it and, where it differs, as clients of OAuth 2 encode it: each of the two as a value of a form (RFC 6749 2.3.1). */
const loginsIn = readOnce(({ headers }): readonly Login[] => {
  const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (encoded === undefined) return [];
  const [user = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  const sent = { user, password: rest.join(':') };
  const meant = { user: formDecoded(sent.user), password: formDecoded(sent.password) };
  const isOther = meant.user !== sent.user || meant.password !== sent.password;
  return isOther && meant.user !== undefined && meant.password !== undefined ? [sent, meant as Login] : [sent];
});

/** Values by name (RFC 6265 5.4), a value in quotes without them. */
const cookiesIn = readOnce(({ headers, repeatedHeaders }): ReadonlyMap<string, readonly string[]> => {
  const cookies = new Map<string, string[]>();
  for (const line of repeatedHeaders.get('cookie') ?? [headers.get('cookie') ?? ''])
    for (const pair of line.split(';')) {
      const end = pair.indexOf('=');
      if (end < 0) continue;
      const name = pair.slice(0, end).trimStart();
      // Cut and not matched: a pattern with blanks behind a value would look for its end at each of a client's blanks.
      const text = pair.slice(end + 1).trimEnd();
      const value = /^"([^"]*)"$/.exec(text)?.[1] ?? text;
      const values = cookies.get(name);
      if (values === undefined) cookies.set(name, [value]);
      else values.push(value);
    }
  return cookies;
});

/** The headers without the cookies of these names; the others are as they came. */
function cookieHeader(
  { headers, repeatedHeaders }: Pick<ServerRequest, 'headers' | 'repeatedHeaders'>,
  names: ReadonlySet<string>,
): string[] {
  const lines = repeatedHeaders.get('cookie') ?? [headers.get('cookie') ?? ''];
  if (names.size === 0) return [...lines];
  const kept = lines.map((line) =>
    line
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => !names.has((pair.split('=', 1)[0] as string).trim()))
      .join('; '),
  );
  return kept.filter((line) => line !== '');
}

/** They speak of the connection, which is no tool's matter, and every client and server sends others. */
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** They speak of the caller's traces, and are others in each run. */
const ofTraces = new Set(['traceparent', 'tracestate', 'baggage']);

/** They are of the client's clock and chance, and others in each run. */
const ofSigners = new Set(['x-amz-date', 'date', 'x-amz-security-token', 'amz-sdk-invocation-id', 'amz-sdk-request']);
const signingNames = ['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature', 'Security-Token', 'Content-Sha256'].map(
  (name) => `X-Amz-${name}`,
);

/** Where the credential of a route may be, and what it may be. */
export interface CredentialRule {
  auths: readonly RouteAuth[];
  secrets: readonly string[];
}
/** Headers and query as `decode` sees them: without the places of the credential, and without whatever else holds the token. */
export function withoutCredential(
  { auths, secrets }: CredentialRule,
  { headers, repeatedHeaders }: Pick<ServerRequest, 'headers' | 'repeatedHeaders'>,
  query: Lists,
): { headers: Lists; query: Lists } {
  const cleared: Lists = Object.create(null);
  const isSigned = auths.some(({ kind }) => kind === 'sigv4');
  const held = auths.map(headerOf);
  const cookies = namesOf(auths, 'cookie');
  for (const [name, value] of headers) {
    if (hopByHop.has(name) || ofTraces.has(name) || held.includes(name)) continue;
    if (isSigned && ofSigners.has(name)) continue;
    const given = name === 'cookie' ? cookieHeader({ headers, repeatedHeaders }, cookies) : (repeatedHeaders.get(name) ?? [value]);
    const values = given.filter((each) => !holdsAny(each, secrets));
    if (values.length > 0) cleared[name] = [...values];
  }
  const asked = withoutTokens(query, secrets);
  for (const name of namesOf(auths, 'query')) delete asked[name];
  if (isSigned) for (const name of signingNames) delete asked[name];
  return { headers: cleared, query: asked };
}

function namesOf(auths: readonly RouteAuth[], kind: 'query' | 'form' | 'cookie'): ReadonlySet<string> {
  return new Set(auths.flatMap((auth) => (auth.kind === kind ? [auth.name] : [])));
}

const holdsAny = (value: string, secrets: readonly string[]): boolean => secrets.some((secret) => value.includes(secret));

/** Without the values that hold a secret, and without the names that have no other. */
function withoutTokens(lists: Lists, secrets: readonly string[]): Lists {
  const cleared: Lists = Object.create(null);
  for (const name in lists) {
    const values = (lists[name] as string[]).filter((value) => !holdsAny(value, secrets));
    if (values.length > 0) cleared[name] = values;
  }
  return cleared;
}

/** Fields of a form, and parts of a body that are text, without those that hold the token. */
export function bodyWithoutTokens(body: WireBody, { auths, secrets }: CredentialRule): WireBody {
  if (body.kind === 'form') {
    const value = withoutTokens(body.value, secrets);
    for (const name of namesOf(auths, 'form')) delete value[name];
    return { ...body, value };
  }
  if (body.kind !== 'multipart' || secrets.length === 0) return body;
  return {
    ...body,
    parts: body.parts.filter(({ text, headers }) => ![text ?? '', ...Object.values(headers)].some((value) => holdsAny(value, secrets))),
  };
}

/** What comes after a body stands with the headers; one that was there stays. */
export function withTrailers(headers: Lists, trailers: { [name: string]: string }, secrets: readonly string[]): Lists {
  const all: Lists = Object.assign(Object.create(null), headers);
  for (const name in trailers) {
    const value = trailers[name] as string;
    if (name !== 'authorization' && !holdsAny(value, secrets)) all[name] ??= [value];
  }
  return all;
}

function headerOf(auth: RouteAuth): string | undefined {
  if (auth.kind === 'header') return auth.name.toLowerCase();
  return auth.kind === 'query' || auth.kind === 'form' || auth.kind === 'cookie' ? undefined : 'authorization';
}
