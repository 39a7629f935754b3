// What each kind of target implements: an agent at work, with nothing yet taken out of what it says.
import type { Redactor } from './redaction.js';
import type { TargetRequest, TargetRun } from './target-run.js';

/** A runner of one kind of target, which leaves redaction to its caller. */
export interface TargetKind {
  run(work: TargetWork): Promise<TargetRun>;
  release(): Promise<void>;
}
export interface TargetWork extends TargetRequest {
  /** The bindings under the names by which a target finds them. */
  environment: { readonly [name: string]: string };
  redactor: Redactor;
}
