// The templates of the documentation page.
import { type Content, htmlTemplate } from '../../text/markup.js';

export const html = htmlTemplate();

/** Text in which `backticks` mark code. */
export function prose(text: string): Content {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}
