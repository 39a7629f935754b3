// Whose request a credential makes it: the token itself, the key of a signature whose secret the token is, or a token that a tool has
// minted for the access.
import type { RouteAuth } from '../contract/world/tool-manifest.js';
import type { ServerRequest } from '../http/server.js';
import type { AccessTable } from './access-table.js';
import type { AgentAccess } from './agent-access.js';
import { isSealedBy, sealedToken, sealsIn } from './sealed-token.js';
import { hashOf, hashOfKey, keyIdsIn } from './token-table.js';
import { credentialsIn } from './wire-credential.js';

export interface WireCaller {
  access: AgentAccess;
  /** As it came. */
  text: string;
  /** Of the access: the text itself, or what it was signed or sealed with. */
  token: string;
  /** As the tool minted it; undefined for the token and for keys. */
  minted: string | undefined;
}

/** `auth`: where the text was. A key is not known to be used rightly before its signature is verified. */
export function callerOf(accesses: AccessTable, auth: RouteAuth, text: string): WireCaller | undefined {
  if (auth.kind === 'sigv4') {
    const held = accesses.held(hashOfKey(text));
    return held === undefined ? undefined : { access: held.holder, text, token: held.token, minted: undefined };
  }
  const sealed = sealedToken(text);
  const held = accesses.held(sealed?.tokenHash ?? hashOf(text));
  if (held === undefined || (sealed !== undefined && !isSealedBy(held.token, sealed))) return undefined;
  return { access: held.holder, text, token: held.token, minted: sealed?.minted };
}

/** A text is the name of a key at one place and a token at another: a caller that one of them found may not be let in at the other. */
export function areReadAlike(found: RouteAuth, wanted: RouteAuth): boolean {
  return (found.kind === 'sigv4') === (wanted.kind === 'sigv4');
}

/** Of tokens, keys and seals, each of which holds 256 bits. */
const shortestText = 43;
const nothing: readonly string[] = [];
/** Hashes of the tokens that a request may stand on, wherever a route may want them; at most `most`. `shape`: of every token. */
export function tokenHashesIn(request: ServerRequest, shape: RegExp, most: number): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (tokenHash: string): void => {
    if (found.size < most) found.add(tokenHash);
  };
  const take = (text: string): void => {
    if (text.length < shortestText) return;
    // Each request of a cluster is looked through: nothing is put together for the many texts that name nothing.
    for (const token of text.match(shape) ?? nothing) add(hashOf(token));
    for (const tokenHash of keyIdsIn(text)) add(tokenHash);
    for (const tokenHash of sealsIn(text)) add(tokenHash);
  };
  for (const text of request.headers.values()) take(text);
  take(request.query);
  for (const text of credentialsIn({ kind: 'basic' }, request, { query: {} })) take(text);
  return found;
}
