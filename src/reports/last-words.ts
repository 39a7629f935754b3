// What an agent said last, cut to a few lines: of a stack its head, with the frames that lie in the agent's own files, then what came after
// it.
//   LAST-WORDS-1. The log may be hostile: the work grows with its length and no faster, and lines and characters that are kept are bounded.
// Each pattern is therefore anchored at the start of a line, or begins with a character that none of its repetitions takes.
import { limits } from '../contract/limits.js';

const frame = /^\s+at /;
const foreign = /node_modules|\(node:|at node:|node:internal|<anonymous>|drills-targets-module-entry/;
/** How Node ends what it says of an uncaught error. */
const closing = /^(?:Node\.js v\d.*|[}\]]*|\s*)$/;
/** A second stack of Node, which tells where an error came out, and not what it is. */
const emitted = /^Emitted '.*' event/;
/** The line with which an error begins whose message has several. */
const named = /^(?:Uncaught |\[)?[A-Z]\w*(?:Error|Exception)\b/;

/** At most `reportLastWordsLinesMax` lines of at most `reportLastWordsCharsMax` characters. */
export function lastWords(said: string): string[] {
  return lastLines(said).map(cut);
}

function lastLines(said: string): string[] {
  const linesMax = limits.reportLastWordsLinesMax;
  const lines = said.trimEnd().split('\n');
  const first = lines.findLastIndex(
    (line, index) => frame.test(line) && !frame.test(lines[index - 1] ?? '') && !emitted.test(lines[index - 1] ?? ''),
  );
  if (first < 1) return lines.slice(-linesMax);
  const frames = lines.slice(first);
  const ended = frames.findIndex((line) => !frame.test(line));
  const stack = ended < 0 ? frames : frames.slice(0, ended);
  const own = stack.filter((line) => !foreign.test(line));
  const after = (ended < 0 ? [] : frames.slice(ended)).filter((line) => ![closing, frame, emitted].some((shape) => shape.test(line)));
  const begun = lines.slice(Math.max(0, first - linesMax), first - 1).findLast((line) => named.test(line));
  const message = lines[first - 1] as string;
  const head = [...(begun === undefined || named.test(message) ? [] : [begun]), message, ...(own.length > 0 ? own : stack).slice(0, 2)];
  return [...head, ...after.slice(0, linesMax - head.length)];
}

/** Never between the halves of a surrogate pair. */
function cut(line: string): string {
  const charsMax = limits.reportLastWordsCharsMax;
  return line.length <= charsMax ? line : `${line.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

const position = /:(\d+):(\d+)\)?$/;
const path = /^(?:file:\/\/)?(\/[^()]+|[A-Za-z]:\\[^()]+)$/;

/** The first place in a file of the agent's own, of what it said last. */
export function ownPlace(words: readonly string[]): ReturnType<typeof ownFrame> {
  return words.map(ownFrame).find((place) => place !== undefined);
}

/** The place that a frame of a stack names, where it lies in a file of the agent's own: `at refund (/work/agents/refund.mjs:6:12)`. */
export function ownFrame(line: string): { file: string; line: number; column: number } | undefined {
  if (!frame.test(line) || foreign.test(line)) return undefined;
  const found = position.exec(line);
  if (found === null) return undefined;
  const before = line.slice(0, found.index);
  const named = before.slice(before.lastIndexOf('(') + 1).replace(/^\s+at (?:async )?/, '');
  const file = path.exec(named)?.[1];
  return file === undefined ? undefined : { file, line: Number(found[1]), column: Number(found[2]) };
}
