// Tokens of OAuth 2 (RFC 6749). A token is a text that says what it is for; the server seals it for the access that asked before it leaves,
// and takes the seal off what comes back, so a text that somebody made up is in no `credential` and in no `tokens`. A part of
// `drillyard/tool-sdk`, and evaluated inside the realm as sdk.ts is.

export interface TokenClaims {
  kind: 'access' | 'refresh' | 'code';
  packageId: string;
  instanceId: string;
  scopes: readonly string[];
  /** Makes each token another. */
  nonce: string;
  /** Virtual time; absent: it does not expire. */
  expiresAtUs?: number;
  /** Of a code, where it is bound to one. */
  redirectUri?: string;
}
/** What these need of the context of a handler. */
interface TokenContext {
  readonly packageId: string;
  readonly instanceId: string;
  readonly clock: { nowUs(): number };
  readonly random: { nextU64(): bigint };
}
interface GrantContext extends TokenContext {
  fail(options: { code: string; message: string }): never;
}
type Outcome =
  | { readonly kind: 'ok'; readonly value: unknown }
  | {
      readonly kind: 'denied' | 'tool_error' | 'unsupported' | 'invalid';
      readonly error: { readonly code: string; readonly message: string };
    };
interface TokenReply {
  headers: { [name: string]: string };
  body: { kind: 'json'; value: unknown };
  tokens?: string[];
}
export interface MintOptions {
  /** Default: access. A route takes no other as its credential. */
  kind?: TokenClaims['kind'];
  scopes?: readonly string[];
  /** In virtual seconds. Default: it does not expire. */
  expiresInSeconds?: number;
  redirectUri?: string;
  /** Before the dot that the text has, as vendors mark their tokens: `xoxb-`. Default: `dyt`. */
  prefix?: string;
}

/** A new token of the instance. Needs the capabilities clock.read and random.draw. Its codec names it in `tokens`, to have it sealed. */
export function mintToken(context: TokenContext, options: MintOptions = {}): string {
  const { kind = 'access', scopes = [], expiresInSeconds, redirectUri, prefix = 'dyt' } = options;
  const claims: TokenClaims = {
    kind,
    packageId: context.packageId,
    instanceId: context.instanceId,
    scopes: [...scopes],
    nonce: context.random.nextU64().toString(16),
    ...(expiresInSeconds === undefined ? {} : { expiresAtUs: context.clock.nowUs() + Math.round(expiresInSeconds * 1e6) }),
    ...(redirectUri === undefined ? {} : { redirectUri }),
  };
  const text = JSON.stringify(claims).replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  let bits = '';
  for (let at = 0; at < text.length; at++) bits += text.charCodeAt(at).toString(2).padStart(8, '0');
  let coded = '';
  for (let at = 0; at < bits.length; at += 6) coded += base64url.charAt(Number.parseInt(bits.slice(at, at + 6).padEnd(6, '0'), 2));
  return `${prefix}.${coded}`;
}

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** What a token says; undefined for a text that is none. It proves nothing: `credential` and `tokens` of a request do. */
export function readToken(token: string): TokenClaims | undefined {
  let bits = '';
  for (const char of token.slice(token.lastIndexOf('.') + 1)) {
    const digit = base64url.indexOf(char);
    if (digit < 0) return undefined;
    bits += digit.toString(2).padStart(6, '0');
  }
  let text = '';
  for (let at = 0; at + 8 <= bits.length; at += 8) text += String.fromCharCode(Number.parseInt(bits.slice(at, at + 8), 2));
  try {
    const claims = JSON.parse(text) as Partial<TokenClaims> | null;
    const isToken = ['access', 'refresh', 'code'].includes(claims?.kind ?? '') && Array.isArray(claims?.scopes);
    return isToken ? (claims as TokenClaims) : undefined;
  } catch {
    return undefined;
  }
}

/** What `decodeTokenRequest` makes of a request to a token endpoint: the arguments of its operation. */
export interface TokenRequest {
  grantType: string;
  scope?: string;
  redirectUri?: string;
  /** '' where the request has one that is not of this access. */
  code?: string;
  refreshToken?: string;
}

/** `decode` of a token endpoint, whose body is a form or JSON. */
export function decodeTokenRequest({
  body,
  tokens = [],
}: {
  body: { readonly kind: string; readonly value?: unknown };
  tokens?: readonly string[];
}): { arguments: unknown } {
  const fields = body.kind === 'form' || body.kind === 'json' ? (body.value as { readonly [name: string]: unknown } | null) : null;
  const field = (name: string): string | undefined => {
    const value = fields?.[name];
    const given = Array.isArray(value) ? value[0] : value;
    return typeof given === 'string' ? given : undefined;
  };
  const proven = (text: string | undefined) => (text === undefined || tokens.includes(text) ? text : '');
  const request: { [member in keyof TokenRequest]: TokenRequest[member] | undefined } = {
    grantType: field('grant_type') ?? '',
    scope: field('scope'),
    redirectUri: field('redirect_uri'),
    code: proven(field('code')),
    refreshToken: proven(field('refresh_token')),
  };
  return { arguments: request };
}

export interface GrantOptions {
  /** All that a client may have; what it asks for no scope gets. */
  scopes?: readonly string[];
  /** In virtual seconds. Default: 3600. */
  expiresInSeconds?: number;
  /** Of refresh tokens. Default: they do not expire. */
  refreshExpiresInSeconds?: number;
  prefix?: string;
}
export interface GrantedTokens {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
  /** Of a code alone. */
  refresh_token?: string;
}

/**
 * The operation of a token endpoint: client_credentials, authorization_code and refresh_token. Fails with INVALID_GRANT, INVALID_SCOPE or
 * UNSUPPORTED_GRANT_TYPE, which the operation declares. It keeps nothing: a code can be used until it expires.
 */
export function grantTokens(
  request: TokenRequest,
  context: GrantContext,
  { scopes: most = [], expiresInSeconds = 3600, refreshExpiresInSeconds, prefix }: GrantOptions = {},
): GrantedTokens {
  const marked = prefix === undefined ? {} : { prefix };
  const proof = (kind: 'code' | 'refresh', token: string | undefined): TokenClaims => {
    const claims = readToken(token ?? '');
    const isOwn = claims?.kind === kind && claims.packageId === context.packageId && claims.instanceId === context.instanceId;
    const isLive = claims?.expiresAtUs === undefined || claims.expiresAtUs > context.clock.nowUs();
    const isBound = claims?.redirectUri === undefined || claims.redirectUri === request.redirectUri;
    if (claims === undefined || !isOwn || !isLive || !isBound)
      return context.fail({
        code: 'INVALID_GRANT',
        message: `The ${kind === 'code' ? 'code' : 'refresh token'} is not valid, or has expired.`,
      });
    return claims;
  };
  const granted = (): readonly string[] => {
    if (request.grantType === 'client_credentials') return most;
    if (request.grantType === 'authorization_code') return proof('code', request.code).scopes;
    if (request.grantType === 'refresh_token') return proof('refresh', request.refreshToken).scopes;
    return context.fail({ code: 'UNSUPPORTED_GRANT_TYPE', message: `There is no grant '${request.grantType}'.` });
  };
  const allowed = granted();
  const asked = (request.scope ?? '').split(' ').filter((scope) => scope !== '');
  const beyond = asked.find((scope) => !allowed.includes(scope));
  if (beyond !== undefined) context.fail({ code: 'INVALID_SCOPE', message: `The scope '${beyond}' is not granted.` });
  const scopes = asked.length === 0 ? allowed : asked;
  const expiry = refreshExpiresInSeconds === undefined ? {} : { expiresInSeconds: refreshExpiresInSeconds };
  return {
    access_token: mintToken(context, { scopes, expiresInSeconds, ...marked }),
    token_type: 'Bearer',
    expires_in: expiresInSeconds,
    scope: scopes.join(' '),
    ...(request.grantType === 'authorization_code'
      ? { refresh_token: mintToken(context, { kind: 'refresh', scopes, ...expiry, ...marked }) }
      : {}),
  };
}

/** `encode` of a token endpoint: RFC 6749 5.1 and 5.2. */
export function encodeTokenReply({ outcome }: { outcome: Outcome }): TokenReply {
  const headers = { 'cache-control': 'no-store', pragma: 'no-cache' };
  if (outcome.kind !== 'ok') {
    const { code, message } = outcome.error;
    return { headers, body: { kind: 'json', value: { error: code.toLowerCase(), error_description: message } } };
  }
  const value = outcome.value as { readonly [name: string]: unknown };
  const tokens = [value.access_token, value.refresh_token].filter((token): token is string => typeof token === 'string');
  return { headers, body: { kind: 'json', value }, tokens };
}
