// What an agent threw, in words. It may be anything: not even an error's message need be a text, nor be there to be read.
import { format } from 'node:util';

export function wordsOf(thrown: unknown): { message: string; stack: string } {
  try {
    const error = thrown instanceof Error ? thrown : new Error(format(thrown));
    return { message: String(error.message), stack: String(error.stack ?? '') };
  } catch {
    return { message: 'What it threw cannot be read.', stack: '' };
  }
}
