// A seed that nobody chose, for runs that shall go otherwise than those before. It is chosen outside of every world, and shown.
import { randomFillSync } from 'node:crypto';

const freshWord = 'fresh';

function freshSeed(): string {
  return randomFillSync(Buffer.alloc(8)).readBigUInt64BE().toString();
}

/** `fresh` becomes a seed; anything else stays what it is. */
export function seedOf(given: string | undefined): string | undefined {
  return given === freshWord ? freshSeed() : given;
}
