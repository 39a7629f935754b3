// The arguments of a call over `direct`, as they leave the agent: JSON, and no more of it than a request's body may be.
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';

/** Throws control.INVALID_REQUEST or control.PAYLOAD_TOO_LARGE; what JSON.stringify says of a value that has no JSON stays its own. */
export function argumentsText(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) {
    const issue = { path: '/arguments', code: 'not_json', message: `is a ${typeof value}, which has no JSON` };
    throw new ServiceError('control.INVALID_REQUEST', { message: `The value of the arguments ${issue.message}.`, issues: [issue] });
  }
  requireArgumentsSize(text);
  return text;
}

export function requireArgumentsSize(text: string): void {
  const { bodyBytesMax } = limits;
  if (Buffer.byteLength(text) <= bodyBytesMax) return;
  throw new ServiceError('control.PAYLOAD_TOO_LARGE', { message: `The arguments are larger than ${bodyBytesMax} bytes.` });
}
