/** Whether every word of `text` occurs, in any case, in one of the fields. No text matches everything. */
export function containsWords(text: string | undefined, fields: readonly string[]): boolean {
  if (text === undefined) return true;
  const haystack = fields.join('\n').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}
