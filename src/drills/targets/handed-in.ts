// What an embedder's agent returns when the work was done elsewhere: a whole result in place of an output.
import type { TargetCompletion } from '../../contract/target-completion.js';

export class HandedIn {
  readonly completion: TargetCompletion;

  constructor(completion: TargetCompletion) {
    this.completion = completion;
  }
}
