// What is thrown where stored bytes cannot be read. Its message names the file, which is the operator's to know: a host logs it, and its
// callers get control.DATA_DAMAGED without it.
import { ServiceError } from './errors.js';

const damageMark = Symbol.for('drillyard.StoredDamage');

export class StoredDamage extends Error {
  override readonly name = 'StoredDamage';

  get [damageMark](): true {
    return true;
  }
}

/** What callers learn of anything thrown that is no refusal: which file is damaged, and what a bug says of itself, is in the log. */
export function hiddenRefusal(error: unknown): ServiceError {
  if (!isStoredDamage(error)) return new ServiceError('control.INTERNAL', { message: 'Internal error.' });
  const message = 'What is stored of this is damaged; nothing was changed, and the log of the service names the file.';
  return new ServiceError('control.DATA_DAMAGED', { message });
}

/** A process may have the class twice, as a module and in a bundle. */
export const isStoredDamage = (error: unknown): boolean => error instanceof Error && damageMark in error;
