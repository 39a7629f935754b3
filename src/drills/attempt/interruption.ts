// This incarnation cannot continue with an attempt, and that says nothing about the attempt: another incarnation continues with it.

export class Interruption extends Error {
  constructor(cause: unknown) {
    super('the attempt was interrupted', { cause });
    this.name = 'Interruption';
  }
}

/** An error in `work` interrupts. */
export async function orInterruption<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Interruption ? error : new Interruption(error);
  }
}
