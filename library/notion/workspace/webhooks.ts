// What an integration receives. The body is the same at every attempt but for the number of the attempt.
import type { CallbackInput, WireMessage } from 'drillyard/tool-sdk';
import type { Json, Members } from './model.js';
import { isoText } from './time.js';

const apiVersion = '2025-09-03';
/** Which kind of thing an event is about, and what its data says beside the parent. */
const details: { readonly [type: string]: (payload: Members) => Members } = {
  'page.content_updated': ({ blocks }) => ({ updated_blocks: named(blocks, 'block') }),
  'page.properties_updated': ({ properties }) => ({ updated_properties: properties ?? [] }),
  'data_source.content_updated': ({ pages }) => ({ updated_blocks: named(pages, 'page') }),
  'data_source.schema_updated': ({ properties }) => ({ updated_properties: properties ?? [] }),
  'comment.created': ({ page_id }) => ({ page_id: page_id ?? null }),
};

const named = (ids: Json | undefined, type: string): Json => ((ids ?? []) as readonly string[]).map((id) => ({ id, type }));

export const webhook = { encode };

function encode({ deliveryId, event, payload, virtualTimeUs, attempt, receiverId }: CallbackInput): WireMessage {
  const type = event.eventId;
  const { id, by, parent } = payload as { id: string; by: string; parent: Members };
  const value = {
    id: deliveryId,
    timestamp: isoText(virtualTimeUs),
    subscription_id: `${event.packageId}-${event.instanceId}-${receiverId}`,
    type,
    authors: [{ id: by, type: 'bot' }],
    attempt_number: attempt,
    api_version: apiVersion,
    entity: { id, type: type.split('.')[0] },
    data: { parent: shownParent(parent), ...details[type]?.(payload) },
  };
  return { body: { kind: 'json', value } };
}

function shownParent(parent: Members): Members {
  const kind = String(parent.type);
  return kind === 'workspace' ? { id: null, type: 'space' } : { id: parent[kind] ?? null, type: kind.replace(/_id$/, '') };
}
