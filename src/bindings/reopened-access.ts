// Requests to wire routes of an access that an earlier process has opened: it is opened again first, as only then it is known where its
// routes want their credential.
import { limits } from '../contract/limits.js';
import type { ServerRequest } from '../http/server.js';
import { addressMark, addressOf } from './access-address.js';
import type { AccessTable } from './access-table.js';
import { credentialsIn } from './wire-credential.js';

/** `find`, and once more where it has found nothing among what is open, and a text of the request opens more. */
export function reopening<Found>(
  accesses: AccessTable,
  find: (request: ServerRequest) => Found | undefined,
): (request: ServerRequest) => Found | undefined | Promise<Found | undefined> {
  return (request) => {
    const address = addressOf(request);
    const addressed = address === undefined ? undefined : accesses.reopen({ tokens: [], address });
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
    const opening = accesses.reopen({ tokens: tokensIn(request, accesses.tokenShape) });
    if (opening !== undefined) return opening.then(() => find(request));
    if (refusal !== undefined) throw refusal.error;
    return undefined;
  }
}

/** By what a request of an agent says which access it is for: the texts that may be tokens, and its address below `prefix`. */
export function accessNamesIn(
  request: ServerRequest,
  { prefix, shape }: { prefix: string; shape: RegExp },
): { tokens: ReadonlySet<string>; address: string | undefined } {
  const address = request.path.startsWith(`${prefix}/${addressMark}`)
    ? request.path.slice(prefix.length + 1 + addressMark.length).split('/', 1)[0]
    : undefined;
  return { tokens: tokensIn(request, shape), address };
}

/** Texts that may be tokens, wherever a route may want them. */
function tokensIn(request: ServerRequest, shape: RegExp | undefined): ReadonlySet<string> {
  const found = new Set<string>();
  if (shape === undefined) return found;
  const texts = [...request.headers.values(), request.query, ...credentialsIn({ kind: 'basic' }, request, {})];
  for (const text of texts) {
    for (const [token] of text.matchAll(shape)) {
      found.add(token);
      if (found.size === limits.requestTokensMax) return found;
    }
  }
  return found;
}
