// What changed in a file, as one hunk: lines that both begin and end with are left out, and everything between is taken for replaced.
// Counts are those of GitHub where the lines that changed stand together.

export interface LineChange {
  readonly additions: number;
  readonly deletions: number;
  /** A unified diff without its header; undefined where a side is no text. */
  readonly patch: string | undefined;
}

const contextLines = 3;

export function compareLines(before: string | undefined, after: string | undefined): LineChange {
  if (before === undefined || after === undefined) return { additions: 0, deletions: 0, patch: undefined };
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const shared = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shared && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < shared - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const [removed, added] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  const lead = old.slice(Math.max(0, start - contextLines), start);
  const trail = old.slice(old.length - end, old.length - end + contextLines);
  const first = start - lead.length + 1;
  const range = (count: number): string => `${count === 0 ? 0 : first},${count}`;
  const around = lead.length + trail.length;
  const head = `@@ -${range(removed.length + around)} +${range(added.length + around)} @@`;
  const marked = (mark: string, lines: readonly string[]): string[] => lines.map((line) => `${mark}${line}`);
  const patch = [head, ...marked(' ', lead), ...marked('-', removed), ...marked('+', added), ...marked(' ', trail)].join('\n');
  return { additions: added.length, deletions: removed.length, patch };
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
