// The one bearer of an inspector: made at its start, returned to the caller that started it, never written anywhere.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../contract/errors.js';

export function newToken(): string {
  return `insp_${randomBytes(32).toString('base64url')}`;
}

/** The check of a token, in the same time whatever is given: digests of equal length are compared, not texts. */
export function tokenCheck(token: string): (given: string) => true {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(token);
  return (given) => {
    if (timingSafeEqual(expected, digest(given))) return true;
    throw new ServiceError('control.UNAUTHENTICATED');
  };
}
