// Two promises a caller makes about what it changes: that it saw the present version, and that it means this very thing.
import { ServiceError } from '../../contract/errors.js';

export function requireVersion({ version }: { version: number }, { expectedVersion }: { expectedVersion: number }): void {
  if (version === expectedVersion) return;
  throw new ServiceError('control.VERSION_CONFLICT', {
    message: `The version is ${version}, not ${expectedVersion}.`,
    details: { expectedVersion, version },
  });
}

export function requireConfirmation(id: string, { confirm }: { confirm: string }): void {
  if (confirm === id) return;
  throw new ServiceError('control.CONFIRMATION_MISMATCH', { message: '`confirm` must be the id of what is to go.' });
}
