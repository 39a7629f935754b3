// Where a request to a wire route carries its credential, and the request without it.
import type { RouteAuth } from '../contract/world/tool-manifest.js';
import type { WireBody } from '../contract/world/wire.js';
import type { ServerRequest } from '../http/server.js';
import { signatureOf } from './signed-request.js';

export type Lists = { [name: string]: string[] };

export type CredentialRequest = Pick<ServerRequest, 'headers' | 'repeatedHeaders' | 'query'>;

/** Texts that may be a token, at the place that the route names and nowhere else. */
export function credentialsIn(auth: RouteAuth, request: CredentialRequest, query: Lists): readonly string[] {
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
      const login = loginIn(request);
      if (login === undefined) return [];
      const { user, password } = login;
      const { token, username } = auth;
      if (token === 'username') return [user];
      if (username !== undefined && user !== username) return [];
      return token === 'password' || username !== undefined ? [password] : [password, user];
    }
    case 'header': {
      const name = auth.name.toLowerCase();
      const value = headers.get(name);
      return value === undefined ? [] : (repeatedHeaders.get(name) ?? [value]);
    }
    case 'query':
      return Object.hasOwn(query, auth.name) ? (query[auth.name] as string[]) : [];
    case 'sigv4': {
      const keyId = signatureOf(request)?.keyId;
      return keyId === undefined ? [] : [keyId];
    }
    case 'cookie':
      return cookiesIn(request).get(auth.name) ?? [];
    // The address says which access it is; who has no use for one may say it with the token.
    case 'none':
      return credentialsIn({ kind: 'bearer' }, request, query);
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

/** RFC 7617. */
const loginIn = readOnce(({ headers }): { user: string; password: string } | undefined => {
  const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [user = '', ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { user, password: password.join(':') };
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

/** The headers without the cookie that holds the credential; the others are as they came. */
function cookieHeader({ headers, repeatedHeaders }: Pick<ServerRequest, 'headers' | 'repeatedHeaders'>, auth: RouteAuth): string[] {
  const lines = repeatedHeaders.get('cookie') ?? [headers.get('cookie') ?? ''];
  if (auth.kind !== 'cookie') return [...lines];
  const kept = lines.map((line) =>
    line
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.split('=', 1)[0]?.trim() !== auth.name)
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

/** Headers and query as `decode` sees them: without the place of the credential, and without whatever else holds the token. */
export function withoutCredential(
  { auth, secrets }: { auth: RouteAuth; secrets: readonly string[] },
  { headers, repeatedHeaders }: Pick<ServerRequest, 'headers' | 'repeatedHeaders'>,
  query: Lists,
): { headers: Lists; query: Lists } {
  const cleared: Lists = Object.create(null);
  for (const [name, value] of headers) {
    if (hopByHop.has(name) || ofTraces.has(name) || name === headerOf(auth)) continue;
    if (auth.kind === 'sigv4' && ofSigners.has(name)) continue;
    const given = name === 'cookie' ? cookieHeader({ headers, repeatedHeaders }, auth) : (repeatedHeaders.get(name) ?? [value]);
    const values = given.filter((each) => !holdsAny(each, secrets));
    if (values.length > 0) cleared[name] = [...values];
  }
  const asked = withoutTokens(query, secrets);
  if (auth.kind === 'query') delete asked[auth.name];
  if (auth.kind === 'sigv4') for (const name of signingNames) delete asked[name];
  return { headers: cleared, query: asked };
}

const holdsAny = (value: string, secrets: readonly string[]): boolean => secrets.some((secret) => value.includes(secret));

/** Without the values that hold a secret, and without the names that have no other. */
export function withoutTokens(lists: Lists, secrets: readonly string[]): Lists {
  const cleared: Lists = Object.create(null);
  for (const name in lists) {
    const values = (lists[name] as string[]).filter((value) => !holdsAny(value, secrets));
    if (values.length > 0) cleared[name] = values;
  }
  return cleared;
}

/** Fields of a form, and parts of a body that are text, without those that hold the token. */
export function bodyWithoutTokens(body: WireBody, secrets: readonly string[]): WireBody {
  if (body.kind === 'form') return { ...body, value: withoutTokens(body.value, secrets) };
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
  return auth.kind === 'query' || auth.kind === 'cookie' ? undefined : 'authorization';
}
