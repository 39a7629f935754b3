// What is thrown where stored bytes cannot be read. Its message names the file, which is the operator's to know: a host logs it, and its
// callers get control.DATA_DAMAGED without it.
const damageMark = Symbol.for('drillyard.StoredDamage');

export class StoredDamage extends Error {
  override readonly name = 'StoredDamage';

  get [damageMark](): true {
    return true;
  }
}

/** A process may have the class twice, as a module and in a bundle. */
export const isStoredDamage = (error: unknown): boolean => error instanceof Error && damageMark in error;
