// Requests to wire routes of an access that an earlier process has opened: it is opened again first, as only then it is known where its
// routes want their credential.
import { limits } from '../contract/limits.js';
import type { HttpHandler, ServerRequest } from '../http/server.js';
import { addressIn, addressOf } from './access-address.js';
import type { AccessTable } from './access-table.js';
import { tokenHashesIn } from './wire-caller.js';

/** `find`, and once more where it has found nothing among what is open, and a text of the request opens more. */
export function reopening<Found>(
  accesses: AccessTable,
  find: (request: ServerRequest) => Found | undefined,
): (request: ServerRequest) => Found | undefined | Promise<Found | undefined> {
  return (request) => {
    const address = addressOf(request);
    const addressed = address === undefined ? undefined : accesses.reopen({ hashes: [], address });
    return addressed === undefined ? findOrReopen(request) : addressed.then(() => findOrReopen(request));
  };
  function findOrReopen(request: ServerRequest): Found | undefined | Promise<Found | undefined> {
    let refusal: { error: unknown } | undefined;
    try {
      const found = find(request);
      if (found !== undefined) return found;
    } catch (error) {
      refusal = { error };
    }
    const { tokenShape } = accesses;
    const hashes = tokenShape === undefined ? [] : tokenHashesIn(request, tokenShape, limits.requestTokensMax);
    const opening = accesses.reopen({ hashes });
    if (opening !== undefined) return opening.then(() => find(request));
    if (refusal !== undefined) throw refusal.error;
    return undefined;
  }
}

/** By what a request of an agent says which access it is for: hashes of the tokens it may stand on, and its address below `prefix`. */
export function accessNamesIn(
  request: ServerRequest,
  { prefix, shape }: { prefix: string; shape: RegExp },
): { hashes: ReadonlySet<string>; address: string | undefined } {
  return { hashes: tokenHashesIn(request, shape, limits.requestTokensMax), address: addressIn(request.path, prefix)?.address };
}

/**
 * A page of another site is let in by the routes of its world, and what those are is known once its access is open: so a request of a page
 * is handled then.
 */
export function openingForPages(accesses: AccessTable, handler: HttpHandler): HttpHandler {
  return (request) => {
    const address = request.headers.has('origin') ? addressOf(request) : undefined;
    const opening = address === undefined ? undefined : accesses.reopen({ hashes: [], address });
    // Why it cannot be opened is for the handler to say, as without a page.
    return opening === undefined ? handler(request) : opening.catch(() => {}).then(() => handler(request));
  };
}
