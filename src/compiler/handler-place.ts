// Where a handler stands in its source, for the person who mends it. Found in the text: errors of tool code have no stack
// (tools/realm-lockdown.ts).
import type { BundledFile } from './behavior-bundle.js';

/** The function that the handler's id leads to, else the id itself; of several places the first, the entry's before others. */
export function handlerPlace(files: readonly BundledFile[], id: string): { path: string; line: number; column: number } | undefined {
  const escaped = id.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const key = new RegExp(`(?:(['"\`])${escaped}\\1|(?<![\\w$.'"\`-])${escaped}(?![\\w$-]))\\s*(?:\\(|:\\s*([A-Za-z_$][\\w$]*)?|[,}])`);
  for (const file of files) {
    const found = key.exec(file.text);
    if (found === null) continue;
    const name = found[2];
    const declared = name === undefined ? undefined : declaration(files, name);
    return declared ?? placeIn(file, found.index);
  }
  return undefined;
}

function declaration(files: readonly BundledFile[], name: string): ReturnType<typeof handlerPlace> {
  if (['function', 'async', 'new'].includes(name)) return undefined;
  const shape = new RegExp(`\\b(?:function|const|let|var)\\s+${name.replaceAll('$', '\\$')}(?![\\w$])`);
  for (const file of files) {
    const index = file.text.search(shape);
    if (index >= 0) return placeIn(file, index);
  }
  return undefined;
}

export function placeIn({ path, text }: BundledFile, index: number): { path: string; line: number; column: number } {
  const before = text.slice(0, index);
  return { path, line: before.split('\n').length, column: index - before.lastIndexOf('\n') };
}
