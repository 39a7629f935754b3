// Text from agents and tools, made safe to look at: what has no glyph, or turns the reading order, becomes a visible escape.

// Controls but tab and newline, lone surrogates, bidirectional overrides and isolates, line separators, the byte order mark, what XML 1.0
// has no place for, and characters that take no place and mean nothing by themselves: soft hyphens, spaces of no width, fillers, invisible
// operators, annotation marks, tags. Joiners and variation selectors stay: scripts and emoji are made with them.
const unseen = new RegExp(
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028\\u2029' +
    '\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\ufffe\\uffff\\u{e0000}-\\u{e007f}]|\\p{Surrogate}',
  'gu',
);

export function visibleText(text: string): string {
  return text.replace(unseen, (char) => {
    const hex = (char.codePointAt(0) as number).toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });
}

/** The same on one line: newlines and tabs are escaped too. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\n\t]/g, (char) => (char === '\n' ? '\\n' : '\\t'));
}
