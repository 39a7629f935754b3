// A request's JSON body: UTF-8, well formed, not too deep. What it means is the route's to check.
import { ServiceError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { checkJsonDepth } from '../contract/json-check.js';
import type { HttpRequest } from './server.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export async function readJsonBody(request: HttpRequest, bytesMax: number): Promise<JsonValue> {
  const value = parse(await request.body(bytesMax));
  const fault = checkJsonDepth(value);
  if (fault === null) return value;
  throw new ServiceError('control.INVALID_REQUEST', {
    message: 'The body is nested too deeply.',
    issues: [{ path: fault.path, code: 'TOO_DEEP', message: fault.message }],
  });
}

function parse(bytes: Uint8Array): JsonValue {
  try {
    return JSON.parse(utf8.decode(bytes)) as JsonValue;
  } catch {
    throw new ServiceError('control.INVALID_JSON', { message: 'The body is not JSON.' });
  }
}
