// The typed client of the hosted control API: a method for each endpoint, with idempotency keys, retries, timeouts and pages taken care of.
// It shares the server's types and needs nothing but a Node.js that has fetch.
import { type EndpointRule, endpointTable } from '../contract/hosted/endpoint-table.js';
import type { EndpointId, EndpointReply } from '../contract/hosted/endpoints.js';
import type { LongRunningOperation } from '../contract/hosted/operation.js';
import type { OperationPath } from '../contract/hosted/sessions.js';
import type { CallArguments, CallEndpoint } from './calls.js';
import { type Connection, exchange } from './exchange.js';
import { type WaitOptions, waitForOperation } from './operation-wait.js';
import { type PagedId, pagesOf } from './pages.js';
import { withRetries } from './retry.js';
import { tuning } from './tuning.js';
import { type SessionRequest, type SessionWork, withSession } from './with-session.js';

export interface ClientOptions {
  /** Scheme, host and port, as `http://127.0.0.1:7070`. */
  baseUrl: string;
  /** A control credential; for the two identity endpoints a token of the identity provider. */
  credential: string;
  /** Default: the global one. */
  fetch?: typeof globalThis.fetch;
  /** Tries after the first one. Default: 4, and more until a minute has passed, the time of a restart. */
  retries?: number;
  /** Of one try. Default 60 s. */
  timeoutMs?: number;
}
export interface Answer<Id extends EndpointId> {
  reply: EndpointReply<Id>;
  status: number;
  /** The stored answer of an earlier request with the same key. */
  replayed: boolean;
  correlationId: string;
}

export interface ClientCore {
  call: CallEndpoint;
  /** As `call`, with what the status line and the headers say. */
  send<Id extends EndpointId>(id: Id, ...args: CallArguments<Id>): Promise<Answer<Id>>;
  /** Every page of a list, one after the other. */
  pages<Id extends PagedId>(id: Id, ...args: CallArguments<Id>): AsyncGenerator<EndpointReply<Id>, void>;
  /** Polls until the operation has succeeded; rejects with an OperationError when it failed or was cancelled. */
  waitForOperation(path: OperationPath, options?: WaitOptions): Promise<LongRunningOperation>;
  /** Creates a session, waits until it is ready, runs the work, and destroys the session whatever happened. */
  withSession<T>(request: SessionRequest, work: SessionWork<T>, options?: { signal?: AbortSignal }): Promise<T>;
}
/** `client.createSession(...)` is `client.call('createSession', ...)`. */
export type Client = ClientCore & { [Id in EndpointId]: (...args: CallArguments<Id>) => Promise<EndpointReply<Id>> };

export function createClient(options: ClientOptions): Client {
  const { baseUrl, credential, fetch = globalThis.fetch } = options;
  const connection: Connection = { baseUrl: baseUrl.replace(/\/+$/, ''), credential, fetch };
  const send = async <Id extends EndpointId>(id: Id, ...[input, call = {}]: CallArguments<Id>): Promise<Answer<Id>> => {
    const rule: EndpointRule = endpointTable[id];
    const { path, query, body = takesBody(rule) ? {} : undefined } = (input ?? {}) as { path?: object; query?: object; body?: unknown };
    // Chosen before the first try: every retry carries it.
    const idempotencyKey = rule.unsafe ? (call.idempotencyKey ?? crypto.randomUUID()) : undefined;
    const rules = {
      retries: call.retries ?? options.retries,
      timeoutMs: call.timeoutMs ?? options.timeoutMs ?? tuning.requestTimeoutMs,
      signal: call.signal,
    };
    return (await withRetries(rules, (signal) => exchange(connection, id, { path, query, body, idempotencyKey, signal }))) as Answer<Id>;
  };
  const core: ClientCore = {
    send,
    call: async (id, ...args) => (await send(id, ...args)).reply,
    pages: (id, ...args) => pagesOf(core.call, id, ...args),
    waitForOperation: (path, wait) => waitForOperation(core.call, path, wait),
    withSession: (request, work, session) => withSession(core.call, request, work, session),
  };
  const methods = Object.keys(endpointTable).map((id) => [
    id,
    (...args: never[]) => core.call(id as EndpointId, ...(args as unknown as [never])),
  ]);
  return Object.assign(Object.fromEntries(methods), core) as Client;
}

/** Every change takes a body, be it an empty object; but for the one that has nothing at all to say. */
function takesBody({ method }: EndpointRule): boolean {
  return method === 'POST' || method === 'PATCH';
}
