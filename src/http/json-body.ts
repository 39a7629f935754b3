// A request's JSON body: UTF-8, well formed, not too deep. What it means is the route's to check.
//   JSON-BODY-1. Large bodies that come at once are parsed, and checked by their routes, one in each turn of the event loop: others are
//     answered in between.
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { checkJsonDepth } from '../contract/json-check.js';
import type { ServerRequest } from './server.js';
import { tuning } from './tuning.js';

export async function readJsonBody(request: ServerRequest, bytesMax: number, levelsMax?: number): Promise<JsonValue> {
  const bytes = await request.body(bytesMax);
  if (bytes.length > tuning.jsonBytesOfTurnMax) await turnOfItsOwn();
  return jsonOf(bytes, levelsMax);
}

/** The event loop is one for all servers of this process. */
let lastTurn: Promise<void> = Promise.resolve();
function turnOfItsOwn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn;
}

/** control.INVALID_JSON, or control.INVALID_REQUEST where it is too deep. */
export function jsonOf(bytes: Uint8Array, levelsMax?: number): JsonValue {
  const value = parse(bytes);
  const fault = checkJsonDepth(value, levelsMax);
  if (fault === null) return value;
  throw new ServiceError('control.INVALID_REQUEST', {
    message: 'The body is nested too deeply.',
    issues: [{ path: fault.path, code: 'not_json', message: fault.message }],
  });
}

function parse(bytes: Uint8Array): JsonValue {
  try {
    // Faster than a TextDecoder, which would also swallow a byte order mark.
    if (isUtf8(bytes)) return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) as JsonValue;
  } catch {
    // Reported below.
  }
  throw new ServiceError('control.INVALID_JSON', { message: 'The body is not JSON in UTF-8.' });
}
