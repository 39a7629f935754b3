// One request through a handler, whatever the server: a handler that throws is a bug, and still gets a reply.
import { newId } from '../contract/ids.js';
import { errorReply } from './envelope.js';
import type { HttpHandler, HttpReply, ServerRequest } from './server.js';

/** Synchronous where the handler is, so that a server may reply at once. */
export function answer(handler: HttpHandler, request: ServerRequest): HttpReply | Promise<HttpReply> {
  try {
    const reply = handler(request);
    return reply instanceof Promise ? reply.catch(failure) : reply;
  } catch (thrown) {
    return failure(thrown);
  }
}

function failure(thrown: unknown): HttpReply {
  return errorReply(thrown, newId('corr'));
}
