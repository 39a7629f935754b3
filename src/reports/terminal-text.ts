// How wide text is on a terminal, and how to cut it without breaking a color or a character.

// The color sequences that this module writes itself; text from outside has none left (visible-text.mjs).
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape is what a color sequence begins with.
const colorSequence = /\u001b\[[0-9;]*m/g;
/** Scripts and signs that take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
/** What is drawn over the character before it. */
const combining = /\p{Mark}|\u200d|\p{Variation_Selector}/u;

export function textWidth(text: string): number {
  let width = 0;
  for (const char of text.replace(colorSequence, '')) width += charWidth(char);
  return width;
}

/** The text within `columns`, with an ellipsis where something was cut. */
export function fitText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let fitted = '';
  let columnsLeft = columns - 1;
  let at = 0;
  for (const sequence of [...text.matchAll(colorSequence), null]) {
    const end = sequence === null ? text.length : sequence.index;
    for (const char of text.slice(at, end)) {
      columnsLeft -= charWidth(char);
      if (columnsLeft < 0) return `${fitted}…${fitted.includes('\u001b') ? '\u001b[0m' : ''}`;
      fitted += char;
    }
    if (sequence === null) break;
    fitted += sequence[0];
    at = end + sequence[0].length;
  }
  return fitted;
}

/** Padded on the right to `columns`. */
export function padText(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(columns - textWidth(text), 0));
}

function charWidth(char: string): number {
  if (char < '\u0300') return 1;
  if (combining.test(char)) return 0;
  return wide.test(char) ? 2 : 1;
}
