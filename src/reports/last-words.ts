// What an agent said last, cut to a few lines: of a stack its head, with the frames that lie in the agent's own files, then what came after
// it.
import { limits } from '../contract/limits.js';

const frame = /^\s+at /;
const foreign = /node_modules|\(node:|at node:|node:internal|<anonymous>/;
/** How Node ends what it says of an uncaught error. */
const closing = /^(?:Node\.js v\d.*|[}\]]*|\s*)$/;

export function lastWords(said: string): string[] {
  const linesMax = limits.reportLastWordsLinesMax;
  const lines = said.trimEnd().split('\n');
  const first = lines.findLastIndex((line, index) => frame.test(line) && !frame.test(lines[index - 1] ?? ''));
  if (first < 1) return lines.slice(-linesMax);
  const frames = lines.slice(first);
  const ended = frames.findIndex((line) => !frame.test(line));
  const stack = ended < 0 ? frames : frames.slice(0, ended);
  const own = stack.filter((line) => !foreign.test(line));
  const after = (ended < 0 ? [] : frames.slice(ended)).filter((line) => !closing.test(line));
  const head = [lines[first - 1] as string, ...(own.length > 0 ? own : stack).slice(0, 2)];
  return [...head, ...after.slice(0, linesMax - head.length)];
}
