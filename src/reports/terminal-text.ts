// How wide text is on a terminal, and how to cut it without breaking a color or a character.

// The sequences of colors and links that this module writes itself; text from outside has none left (visible-text.ts).
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape is what a sequence begins with.
const colorSequence = /\u001b\[[0-9;]*m|\u001b\]8;;[^\u001b]*\u001b\\/g;
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

/**
 * A line over several of at most `columns`, cut between words. What follows the first hangs under the value of a field (two spaces and more
 * stand before it), else two columns further in. A word that is longer than a line stays whole.
 */
export function wrapText(text: string, columns: number): string[] {
  if (textWidth(text) <= columns) return [text];
  const bare = text.replace(colorSequence, '');
  const field = /^ *\S+ {2,}(?=\S)/.exec(bare)?.[0].length ?? 0;
  const indent = /^ */.exec(bare)?.[0].length ?? 0;
  const hang = ' '.repeat(field > 0 && field <= columns / 2 ? field : Math.min(indent + 2, columns >> 1));
  const lines: string[] = [];
  let line = '';
  let isEmpty = true;
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    const next = isEmpty ? `${line}${word}` : `${line} ${word}`;
    if (!isEmpty && textWidth(next) > columns) {
      lines.push(line);
      line = `${hang}${word}`;
    } else line = next;
    isEmpty = false;
  }
  return [...lines, line];
}

function charWidth(char: string): number {
  if (char < '\u0300') return 1;
  if (combining.test(char)) return 0;
  return wide.test(char) ? 2 : 1;
}
