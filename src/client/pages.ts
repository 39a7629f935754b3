// Lists, page after page. Each kind of list names its continuation in its own words.
import { walkPages } from '../async/pages.js';
import type { EndpointId, EndpointReply, Endpoints } from '../contract/hosted/endpoints.js';
import type { CallArguments, CallEndpoint, CallOptions } from './calls.js';

/** The reply's member, and the query parameter that takes it. */
const continuations = { nextCursor: 'cursor', nextAfterRowId: 'afterRowId', nextSequence: 'fromSequence', nextAfter: 'after' } as const;
/** The endpoints whose replies have a continuation. */
export type PagedId = {
  [Id in EndpointId]: Endpoints[Id]['query'] extends undefined
    ? never
    : Extract<keyof EndpointReply<Id>, keyof typeof continuations> extends never
      ? never
      : Id;
}[EndpointId];

export async function* pagesOf<Id extends PagedId>(
  call: CallEndpoint,
  id: Id,
  ...args: CallArguments<Id>
): AsyncGenerator<EndpointReply<Id>, void> {
  const [input = {}, options] = args as [input?: { query?: object }, options?: CallOptions];
  const ask = (continued: object = {}): Promise<EndpointReply<Id>> =>
    call(id, ...([{ ...input, query: { ...input.query, ...continued } }, options] as unknown as CallArguments<Id>));
  yield* walkPages({ next: continuationOf }, ask);
}

/** What the next request adds to the query. */
function continuationOf(page: object): object | undefined {
  const members = page as { readonly [name: string]: unknown };
  const next = Object.entries(continuations).find(([member]) => members[member] !== undefined);
  return next && { [next[1]]: members[next[0]] };
}
