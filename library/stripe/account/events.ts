// The account's events: each change is kept as Stripe's event object and emitted, so that it can be listed and goes out as a webhook.
import type { JsonValue } from 'drillyard/tool-sdk';
import { expanded, type ListInput, listRows, nextId, nowSeconds, requireRow, type StripeList } from './store.js';
import type { Context } from './types.js';

/** As the client of the same release pins it. */
export const apiVersion = '2026-10-28.endive';

export const accountId = 'acct_000001';

export function recordEvent(context: Context, type: string, object: object, previous?: object): void {
  const id = nextId(context, 'events');
  const { source } = context;
  const event = {
    id,
    object: 'event',
    api_version: apiVersion,
    created: nowSeconds(context),
    data: {
      object: object as JsonValue,
      ...(previous === undefined ? {} : { previous_attributes: changedMembers(previous, object) as JsonValue }),
    },
    livemode: false,
    pending_webhooks: 1,
    request: { id: source.kind === 'operation' ? requestIdOf(source.callId) : null, idempotency_key: null },
    type,
  };
  context.state.put('events', id, event);
  context.events.emit('event.created', event);
}

/** What an update changed, as it was. */
function changedMembers(previous: object, now: object): object {
  const present = now as { [name: string]: unknown };
  return Object.fromEntries(Object.entries(previous).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(present[name])));
}

/** The id of a request as its reply and its events have it. */
export function requestIdOf(callId: string): string {
  return `req_${callId.replace(/[^0-9A-Za-z]/g, '').slice(-14)}`;
}

export function retrieveEvent(input: { readonly id: string }, context: Context): JsonValue {
  return expanded(context, requireRow(context, 'events', input.id));
}

export function listEvents(
  input: ListInput & { readonly type?: string; readonly types?: readonly string[] },
  context: Context,
): StripeList {
  const { type, types } = input;
  const wanted = type === undefined ? types : [type, ...(types ?? [])];
  return listRows(context, 'events', input, (event) => wanted === undefined || wanted.some((one) => matchesType(event.type, one)));
}

/** `invoice.*` stands for every type that begins so. */
function matchesType(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}
