// What a target says, kept up to a bound: the beginning, and a line that tells how much is missing. Secrets in it are redacted. Who listens
// hears it line by line as it comes.
//   TARGET-LOG-1. The end that an error shows is that of all that was said, and holds no part of a secret that a cut went through.
import { limits } from '../../contract/limits.js';
import type { AgentMessage } from '../../contract/run/transcript.js';
import { endOf } from '../../text/cut-text.js';
import { type Redactor, redactionOf } from './redaction.js';
import type { Say, TargetRun } from './target-run.js';

export class TargetLog {
  #text = '';
  #chars = 0;
  /** The last of it. */
  #end = '';
  #isEndCut = false;
  readonly #redactor: Redactor;
  readonly #say: Say | undefined;
  readonly #byLine: Redactor;
  /** A line whose end has not come. */
  #begun = '';

  constructor(redactor: Redactor, say?: Say) {
    this.#redactor = redactor;
    this.#say = say;
    this.#byLine = redactor.byLine();
  }

  /** `isCut`: more was said at once, and did not come. */
  append(text: string, { isCut = false } = {}): void {
    if (this.#say !== undefined) this.#tell(text);
    this.#chars += text.length;
    // A little more than is kept, so that a secret at the cut is still known for one.
    const charsLeft = limits.targetLogBytesMax + this.#redactor.reachChars - this.#text.length;
    if (charsLeft > 0) this.#text += text.length <= charsLeft ? text : text.slice(0, charsLeft);
    if (isCut) this.#startEnd('[what came next was not kept]\n', { isCut: false });
    else this.#extendEnd(text);
  }

  #extendEnd(text: string): void {
    const charsMin = limits.targetTailCharsMax + 2 * this.#redactor.reachChars;
    const end = this.#end + text;
    // Only now and then, so that an end of many pieces is not copied for each.
    if (end.length > 2 * charsMin) this.#startEnd(end.slice(-charsMin), { isCut: true });
    else this.#end = end;
  }

  #startEnd(text: string, { isCut }: { isCut: boolean }): void {
    this.#end = text;
    this.#isEndCut = isCut;
  }

  /** A message of the agent: heard, and no part of the log. */
  message({ role, content }: AgentMessage): void {
    this.#say?.({ role, text: this.#byLine.beginning(content, limits.transcriptTextCharsMax + 1).text });
  }

  /** The lines that are whole now, in one piece: a stack of an error is one thing that was said. */
  #tell(text: string): void {
    const charsMax = limits.transcriptTextCharsMax + 1;
    const last = text.lastIndexOf('\n');
    const said = last < 0 ? '' : this.#begun + text.slice(0, last);
    const rest = last < 0 ? this.#begun + text : text.slice(last + 1);
    // Of one without an end only the beginning is kept.
    this.#begun = rest.slice(0, charsMax + this.#byLine.reachChars);
    if (said.trim() !== '') this.#say?.({ role: 'log', text: this.#byLine.beginning(said, charsMax).text });
  }

  /** As a run tells it. */
  kept(): Pick<TargetRun, 'log'> & Required<Pick<TargetRun, 'logRedaction'>> {
    if (this.#begun !== '') this.#tell('\n');
    const { text, places } = this.#redactor.beginning(this.#text, limits.targetLogBytesMax);
    const dropped = this.#chars - limits.targetLogBytesMax;
    const missing = dropped <= 0 ? '' : `${text.endsWith('\n') ? '' : '\n'}[the rest, at least ${dropped} characters, was not kept]\n`;
    return { log: text + missing, logRedaction: redactionOf(places) };
  }

  /** The end of it, for an error message. */
  tail(): string {
    const { targetTailLinesMax, targetErrorCharsMax } = limits;
    const said = this.#isEndCut ? this.#redactor.ending(this.#end) : this.#redactor.text(this.#end);
    return endOf(shortMembers(said.trimEnd().split('\n')).slice(-targetTailLinesMax).join('\n'), targetErrorCharsMax);
  }
}

/** The last line of what stands before the members: a frame of the stack, or a message without one. */
const opening = /^(?: {4}at |\S).* \{$/;

/** Node prints an uncaught error with all its members, which may be a whole response: the error itself would be beyond the end. */
function shortMembers(lines: string[]): string[] {
  const { targetTailMembersMax } = limits;
  const close = lines.lastIndexOf('}');
  const open = lines.slice(0, Math.max(close, 0)).findLastIndex((line) => opening.test(line));
  const from = open + 1 + targetTailMembersMax;
  const left = close - targetTailMembersMax - from;
  return open < 0 || left <= 1 ? lines : [...lines.slice(0, from), `  [${left} lines left out]`, ...lines.slice(from + left)];
}
