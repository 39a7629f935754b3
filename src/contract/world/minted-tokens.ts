// Tokens that a tool mints for its clients (tools/token-endpoint.ts): what their texts look like, and why one opens nothing.
import { limits } from '../limits.js';
import type { ToolOutcome } from './evidence.js';

/** The source of a pattern. No mark of a seal is in it (bindings/sealed-token.ts). */
export const mintedText = `[A-Za-z0-9._-]{16,${limits.mintedTokenCharsMax}}`;
export const mintedShape = new RegExp(`^${mintedText}$`);

/** Codes of outcomes, with what they say. Such a call is denied before anything else is looked at. */
export const tokenFaults = {
  TOKEN_INVALID: 'The token is none of an access to this instance.',
  TOKEN_EXPIRED: 'The token has expired.',
  TOKEN_SCOPE_MISSING: 'The token lacks a scope that the route wants.',
} as const;
export type TokenFault = keyof typeof tokenFaults;

/** Why a call was denied, where that was for its token. */
export function tokenFaultOf(outcome: ToolOutcome): TokenFault | undefined {
  if (outcome.kind !== 'denied') return undefined;
  const { code } = outcome.error;
  return Object.hasOwn(tokenFaults, code) ? (code as TokenFault) : undefined;
}
