// What a call that did not succeed says: part of its outcome, and of what callers are returned.
import type { JsonValue } from './json.js';

/** The error half of an outcome: a value of the simulation, never an exception. */
export interface OutcomeError {
  code: string;
  message: string;
  retryable: boolean;
  details?: JsonValue;
}
