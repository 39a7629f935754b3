// Text from agents and tools, made safe to look at: what has no glyph, or turns the reading order, becomes a visible escape.

// Controls but tab and newline, lone surrogates, bidirectional overrides and isolates, line separators, the byte order mark, and what XML
// 1.0 has no place for.
const unseen = new RegExp(
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028\\u2029' +
    '\\u202a-\\u202e\\u2066-\\u2069\\ufeff\\ufffe\\uffff]|\\p{Surrogate}',
  'gu',
);

export function visibleText(text: string): string {
  return text.replace(unseen, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same on one line: newlines and tabs are escaped too. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\n\t]/g, (char) => (char === '\n' ? '\\n' : '\\t'));
}
