// What a target says, kept up to a bound: the beginning, and a line that tells how much is missing. Secrets in it are redacted.
import { limits } from '../../contract/limits.js';
import { type Redactor, redactionOf } from './redaction.js';
import type { TargetRun } from './target-run.js';

export class TargetLog {
  #text = '';
  #chars = 0;
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  append(text: string): void {
    this.#chars += text.length;
    // A little more than is kept, so that a secret at the cut is still known for one.
    const charsLeft = limits.targetLogBytesMax + this.#redactor.reachChars - this.#text.length;
    if (charsLeft > 0) this.#text += text.length <= charsLeft ? text : text.slice(0, charsLeft);
  }

  /** As a run tells it. */
  kept(): Pick<TargetRun, 'log'> & Required<Pick<TargetRun, 'logRedaction'>> {
    const { text, places } = this.#redactor.beginning(this.#text, limits.targetLogBytesMax);
    const dropped = this.#chars - limits.targetLogBytesMax;
    const missing = dropped <= 0 ? '' : `${text.endsWith('\n') ? '' : '\n'}[the rest, at least ${dropped} characters, was not kept]\n`;
    return { log: text + missing, logRedaction: redactionOf(places) };
  }

  /** The end of it, for an error message. */
  tail(): string {
    const { targetTailLinesMax, targetErrorCharsMax } = limits;
    return this.#redactor.text(this.#text).trimEnd().split('\n').slice(-targetTailLinesMax).join('\n').slice(-targetErrorCharsMax);
  }
}
