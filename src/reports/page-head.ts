// The head of every page that is one file: nothing is loaded, and what may run is named.
import { type Content, Markup } from '../text/markup.js';
import { html } from './markup.js';

export interface PageHead {
  title: string;
  /** Content-Security-Policy. */
  policy: string;
  style: string;
  description?: string;
}

export function pageHead({ title, policy, style, description }: PageHead): Content {
  return html`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">${description === undefined ? '' : html`\n<meta name="description" content="${description}">`}
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>`;
}
