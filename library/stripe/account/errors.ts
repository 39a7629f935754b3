// How a call is refused: with a code that the manifest declares, and details that become the members of Stripe's error.
import type { Frozen, JsonValue } from 'drillyard/tool-sdk';
import type { CardError } from './model.js';
import type { Context } from './types.js';

export interface ErrorMembers {
  [member: string]: JsonValue | undefined;
  param?: string;
  /** The id stood in the path: 404 instead of 400. */
  in_path?: boolean;
}

/** Refuses a request that changes nothing. */
export function refuse(context: Context, code: string, message: string, members: ErrorMembers = {}): never {
  return context.fail({ code, message, details: definedMembers(members) });
}

/** The bank has decided: what it left behind stays, and the caller gets `card_error`. */
export function declineCard(context: Context, error: Frozen<CardError>, members: ErrorMembers = {}): never {
  const { message, ...more } = error;
  return context.fail({ code: 'CARD_DECLINED', message, details: definedMembers({ ...more, ...members } as ErrorMembers), keep: true });
}

function definedMembers(members: ErrorMembers): JsonValue {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== false)) as JsonValue;
}
