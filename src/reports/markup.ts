// The templates of reports: text from agents and tools is made visible, then escaped.
import { htmlTemplate, Markup } from '../text/markup.js';
import { visibleText } from '../text/visible-text.js';

export const html = htmlTemplate(visibleText);

// What could end the element, and what has no glyph or turns the reading order: a reader of the source sees it, too.
const escapedInScript = /[<>&\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;

/** A JSON value as the body of a script element that is data: no end tag and no comment can begin in it. */
export function scriptJson(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replace(escapedInScript, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`));
}
