// Lists, page after page. Each kind of list names its continuation in its own words.
//   PAGES-1. A list whose continuation comes again has no end: it is refused instead of followed.
import { walkPages } from '../async/pages.js';
import type { EndpointId, EndpointReply, Endpoints } from '../contract/hosted/endpoints.js';
import type { CallArguments, CallEndpoint, CallOptions } from './calls.js';
import { ControlError } from './control-error.js';

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
  const seen = new Set<string>();
  const next = (page: object): object | undefined => {
    const continued = continuationOf(page);
    const text = JSON.stringify(continued);
    if (continued !== undefined && seen.has(text)) throw endless(id);
    seen.add(text);
    return continued;
  };
  yield* walkPages({ next }, ask);
}

function endless(id: EndpointId): ControlError {
  const message = `The pages of ${id} do not end: a page names one that was there before as the next one.`;
  return new ControlError(200, { code: 'control.UNAVAILABLE', message, correlationId: 'none', retryable: false, source: 'platform' });
}

/** What the next request adds to the query. */
function continuationOf(page: object): object | undefined {
  const members = page as { readonly [name: string]: unknown };
  const next = Object.entries(continuations).find(([member]) => members[member] !== undefined);
  return next && { [next[1]]: members[next[0]] };
}
