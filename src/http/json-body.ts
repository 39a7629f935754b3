// A request's JSON body: UTF-8, well formed, not too deep. What it means is the route's to check.
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { checkJsonDepth } from '../contract/json-check.js';
import type { ServerRequest } from './server.js';

export async function readJsonBody(request: ServerRequest, bytesMax: number): Promise<JsonValue> {
  return jsonOf(await request.body(bytesMax));
}

/** control.INVALID_JSON, or control.INVALID_REQUEST where it is too deep. */
export function jsonOf(bytes: Uint8Array): JsonValue {
  const value = parse(bytes);
  const fault = checkJsonDepth(value);
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
