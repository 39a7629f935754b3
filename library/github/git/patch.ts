// A change of a file as GitHub shows it: how many lines came and went, and the hunks of a unified diff.
import { type Edit, editsBetween, linesOf } from './diff.js';

export interface LineChange {
  readonly additions: number;
  readonly deletions: number;
  /** A unified diff without its header; undefined where a side is no text. */
  readonly patch: string | undefined;
}

const contextLines = 3;

export function compareTexts(before: string | undefined, after: string | undefined): LineChange {
  if (before === undefined || after === undefined) return { additions: 0, deletions: 0, patch: undefined };
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const edits = editsBetween(old, fresh);
  return {
    additions: edits.reduce((sum, edit) => sum + edit.afterEnd - edit.after, 0),
    deletions: edits.reduce((sum, edit) => sum + edit.beforeEnd - edit.before, 0),
    patch: groupsOf(edits)
      .map((group) => hunkOf(group, old, fresh))
      .join('\n'),
  };
}

/** Edits whose context touches are in one hunk. */
function groupsOf(edits: readonly Edit[]): Edit[][] {
  const groups: Edit[][] = [];
  for (const edit of edits) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && edit.before - last.beforeEnd <= 2 * contextLines) group.push(edit);
    else groups.push([edit]);
  }
  return groups;
}

function hunkOf(edits: readonly Edit[], old: readonly string[], fresh: readonly string[]): string {
  const [first, last] = [edits[0], edits.at(-1)];
  if (first === undefined || last === undefined) return '';
  const lead = Math.min(contextLines, first.before);
  const trail = Math.min(contextLines, old.length - last.beforeEnd);
  const lines: string[] = [];
  let at = first.before - lead;
  for (const { before, beforeEnd, after, afterEnd } of edits) {
    lines.push(
      ...marked(' ', old.slice(at, before)),
      ...marked('-', old.slice(before, beforeEnd)),
      ...marked('+', fresh.slice(after, afterEnd)),
    );
    at = beforeEnd;
  }
  lines.push(...marked(' ', old.slice(at, at + trail)));
  const oldRange = rangeOf(first.before - lead, last.beforeEnd + trail);
  const newRange = rangeOf(first.after - lead, last.afterEnd + trail);
  return [`@@ -${oldRange} +${newRange} @@`, ...lines].join('\n');
}

/** Lines are counted from 1; one line has no count, and no line stands behind the one before. */
function rangeOf(start: number, end: number): string {
  const count = end - start;
  if (count === 1) return String(start + 1);
  return `${count === 0 ? start : start + 1},${count}`;
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) => (line.endsWith('\n') ? `${mark}${line.slice(0, -1)}` : `${mark}${line}\n\\ No newline at end of file`));
}

/** The lines of a patch in its order, by their numbers in the old and the new file; headers of later hunks stand there as well. */
export function linesShown(patch: string): { readonly left: number | null; readonly right: number | null }[] {
  let [left, right] = [0, 0];
  return patch.split('\n').flatMap((text, index) => {
    const [, oldStart, newStart] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text) ?? [];
    if (oldStart !== undefined && newStart !== undefined) {
      [left, right] = [Number(oldStart), Number(newStart)];
      return index === 0 ? [] : [{ left: null, right: null }];
    }
    const [isOld, isNew] = [text.startsWith('-') || text.startsWith(' '), text.startsWith('+') || text.startsWith(' ')];
    const shown = { left: isOld ? left : null, right: isNew ? right : null };
    if (isOld) left += 1;
    if (isNew) right += 1;
    return [shown];
  });
}
