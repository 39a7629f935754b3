// The one order of texts: by UTF-16 code units, the same on every machine and in every locale. Hashes rest on it.

/** For `sort`: equal texts keep the order in which they stand. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
