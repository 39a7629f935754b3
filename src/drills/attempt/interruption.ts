// This incarnation cannot go on with an attempt, and that says nothing about the attempt: another incarnation goes on with it.

export class Interruption extends Error {
  constructor(cause: unknown) {
    super('the attempt was interrupted', { cause });
    this.name = 'Interruption';
  }
}

/** Whatever goes wrong in `work` interrupts. */
export async function orInterruption<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Interruption ? error : new Interruption(error);
  }
}
