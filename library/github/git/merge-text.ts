// A merge of three texts by lines, as git does it: what only one side has changed is taken; changes that overlap or touch are a conflict,
// unless they are the same.
import { type Edit, editsBetween, linesOf } from './diff.js';

interface Change extends Edit {
  readonly lines: readonly string[];
}

/** Undefined where they conflict. */
export function mergeTexts(base: string, ours: string, theirs: string): string | undefined {
  const lines = linesOf(base);
  const [mine, other] = [changesTo(lines, ours), changesTo(lines, theirs)];
  const merged: string[] = [];
  let at = 0;
  while (mine.length > 0 || other.length > 0) {
    const [a, b] = [mine[0], other[0]];
    const next = takes(a, b);
    if (next === 'conflict') return undefined;
    const change = next === 'theirs' ? other.shift() : mine.shift();
    if (next === 'both') other.shift();
    if (change === undefined) break;
    merged.push(...lines.slice(at, change.before), ...change.lines);
    at = change.beforeEnd;
  }
  return [...merged, ...lines.slice(at)].join('');
}

function changesTo(base: readonly string[], text: string): Change[] {
  const lines = linesOf(text);
  return editsBetween(base, lines).map((edit) => ({ ...edit, lines: lines.slice(edit.after, edit.afterEnd) }));
}

/** Whose change comes next. */
function takes(a: Change | undefined, b: Change | undefined): 'ours' | 'theirs' | 'both' | 'conflict' {
  if (b === undefined) return 'ours';
  if (a === undefined) return 'theirs';
  if (a.beforeEnd < b.before) return 'ours';
  if (b.beforeEnd < a.before) return 'theirs';
  const same = a.before === b.before && a.beforeEnd === b.beforeEnd && a.lines.join('') === b.lines.join('');
  return same ? 'both' : 'conflict';
}
