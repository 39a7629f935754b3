// What the compiler knows of one kind of assertion. Its shape is in contract/run/assertion.ts, its judge in drills/judge.
import type { Assertion } from '../../contract/run/assertion.js';
import type { NameCheck } from './name-check.js';
import type { SubjectCheck } from './subject-check.js';

export interface AssertionDefinition<A extends Assertion> {
  /** Its line in the table of docs/assertions.md. */
  summary: string;
  /**
   * `subjects`: whether the tools, the setup and the timeline have what it speaks of. `names`: whether what it speaks of can have these
   * members. Both report what is wrong.
   */
  check?: (assertion: A, checks: { subjects: SubjectCheck; names: NameCheck }) => void;
}
