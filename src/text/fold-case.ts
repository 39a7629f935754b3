// Upper and lower case taken as one, letter by letter: the text keeps its length, in characters and in bytes, so places in it stay places.

/** Letters that have no other of their length, such as `ß`, stay as they are. */
export function foldCase(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\u0000-\u007f]*$/.test(text)) return text.toLowerCase();
  return Array.from(text, foldLetter).join('');
}

function foldLetter(letter: string): string {
  const lower = letter.toLowerCase();
  return lower.toUpperCase() === letter && widthOf(lower) === widthOf(letter) ? lower : letter;
}

/** Of one letter in UTF-8; 0 where it is more than one. */
function widthOf(letter: string): number {
  const code = letter.codePointAt(0) ?? 0;
  if (String.fromCodePoint(code) !== letter) return 0;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}
