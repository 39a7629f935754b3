// Where a request to a wire route carries its credential, and the request without it.
import type { RouteAuth } from '../contract/world/tool-manifest.js';
import type { WireBody } from '../contract/world/wire.js';
import type { ServerRequest } from '../http/server.js';

export type Lists = { [name: string]: string[] };

/** Texts that may be a token, at the place that the route names and nowhere else. */
export function credentialsIn(auth: RouteAuth, { headers, repeatedHeaders }: ServerRequest, query: Lists): readonly string[] {
  const authorization = headers.get('authorization') ?? '';
  switch (auth.kind) {
    case 'bearer': {
      const [, scheme = '', token] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
      const { schemes = [] } = auth;
      const known = (schemes.length === 0 ? ['Bearer'] : schemes).some((name) => name.toLowerCase() === scheme.toLowerCase());
      return known && token !== undefined ? [token] : [];
    }
    case 'basic': {
      const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1];
      if (encoded === undefined) return [];
      const [user = '', ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
      return [password.join(':'), user];
    }
    case 'header': {
      const name = auth.name.toLowerCase();
      const value = headers.get(name);
      return value === undefined ? [] : (repeatedHeaders.get(name) ?? [value]);
    }
    case 'query':
      return Object.hasOwn(query, auth.name) ? (query[auth.name] as string[]) : [];
    // The address says which access it is; who has no use for one may say it with the token.
    case 'none':
      return credentialsIn({ kind: 'bearer' }, { headers, repeatedHeaders } as ServerRequest, query);
  }
}

/** They speak of the connection, which is no tool's matter, and every client and server sends others. */
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** They speak of the caller's traces, and are others in each run. */
const ofTraces = new Set(['traceparent', 'tracestate', 'baggage']);

/** Headers and query as `decode` sees them: without the place of the credential, and without whatever else holds the token. */
export function withoutCredential(
  { auth, token }: { auth: RouteAuth; token: string | undefined },
  { headers, repeatedHeaders }: ServerRequest,
  query: Lists,
): { headers: Lists; query: Lists } {
  const holdsToken = (value: string): boolean => token !== undefined && value.includes(token);
  const cleared: Lists = Object.create(null);
  for (const [name, value] of headers) {
    if (hopByHop.has(name) || ofTraces.has(name) || name === headerOf(auth)) continue;
    const values = (repeatedHeaders.get(name) ?? [value]).filter((each) => !holdsToken(each));
    if (values.length > 0) cleared[name] = [...values];
  }
  const asked = withoutToken(query, token);
  if (auth.kind === 'query') delete asked[auth.name];
  return { headers: cleared, query: asked };
}

/** Without the values that hold the token, and without the names that have no other. */
export function withoutToken(lists: Lists, token: string | undefined): Lists {
  const cleared: Lists = Object.create(null);
  for (const name in lists) {
    const values = (lists[name] as string[]).filter((value) => token === undefined || !value.includes(token));
    if (values.length > 0) cleared[name] = values;
  }
  return cleared;
}

/** Fields of a form, and parts of a body that are text, without those that hold the token. */
export function bodyWithoutToken(body: WireBody, token: string | undefined): WireBody {
  if (body.kind === 'form') return { ...body, value: withoutToken(body.value, token) };
  if (body.kind !== 'multipart' || token === undefined) return body;
  return {
    ...body,
    parts: body.parts.filter(({ text, headers }) => ![text ?? '', ...Object.values(headers)].some((value) => value.includes(token))),
  };
}

/** What comes after a body stands with the headers; one that was there stays. */
export function withTrailers(headers: Lists, trailers: { [name: string]: string }, token: string | undefined): Lists {
  const all: Lists = Object.assign(Object.create(null), headers);
  for (const name in trailers) {
    const value = trailers[name] as string;
    if (name !== 'authorization' && (token === undefined || !value.includes(token))) all[name] ??= [value];
  }
  return all;
}

function headerOf(auth: RouteAuth): string | undefined {
  if (auth.kind === 'header') return auth.name.toLowerCase();
  return auth.kind === 'query' ? undefined : 'authorization';
}
