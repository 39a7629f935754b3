// HTML as text, safe by construction: whatever is put into a template is escaped, unless it came from a template itself.
import { visibleText } from './html/visible-text.mjs';

export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
export type Content = string | number | Markup | null | undefined | readonly Content[];

/** html`<b>${anything}</b>`: for element content and for attribute values in double quotes. */
export function html(strings: TemplateStringsArray, ...contents: Content[]): Markup {
  let text = strings[0] ?? '';
  for (let index = 0; index < contents.length; index++) text += contentText(contents[index]) + (strings[index + 1] ?? '');
  return new Markup(text);
}

// What could end the element, and what has no glyph or turns the reading order: whoever looks at the source sees it, too.
const escapedInScript = /[<>&\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;

/** A JSON value as the body of a script element that is data: no end tag and no comment can begin in it. */
export function scriptJson(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replace(escapedInScript, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`));
}

function contentText(content: Content): string {
  if (content === null || content === undefined) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'object') return content.map(contentText).join('');
  return escapeText(String(content));
}

const entities: { [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeText(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (char) => entities[char] ?? char);
}
