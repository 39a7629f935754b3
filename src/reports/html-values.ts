// JSON values and evidence numbers as markup, shared by the sections of the page.
import type { JsonValue } from '../contract/json.js';
import { type JsonDiff, pathText } from '../contract/json-diff.js';
import { counted } from '../text/counted.js';
import type { Markup } from '../text/markup.js';
import { html } from './markup.js';
import { valueLine, valueText } from './shown-values.js';
import { tuning } from './tuning.js';

/** A value over several lines; the script colors it. */
export function valueBlock(value: JsonValue | undefined): Markup {
  if (value === undefined) return html`<p class="nothing">nothing</p>`;
  return html`<pre class="json" tabindex="0">${valueText(value)}</pre>`;
}

export function diffTable({ changes, total }: JsonDiff, sides: { before: string; after: string }): Markup {
  return html`<table class="diff"><thead><tr><th scope="col">Member</th><th scope="col">${sides.before}</th><th scope="col">${sides.after}</th></tr></thead>
<tbody>${changes.map(
    ({ path, before, after }) =>
      html`<tr><th scope="row"><code>${pathText(path)}</code></th><td>${diffSide('before', before)}</td><td>${diffSide('after', after)}</td></tr>`,
  )}</tbody></table>${total > changes.length ? html`<p class="quiet">and ${counted(total - changes.length, 'more member')}</p>` : null}`;
}

function diffSide(side: 'before' | 'after', value: JsonValue | undefined): Markup {
  return value === undefined
    ? html`<span class="nothing">absent</span>`
    : html`<code class="${side}">${valueLine(value, tuning.cellValueChars)}</code>`;
}

/** The sequence numbers, each a way to its entry: the script opens it. */
export function sequenceList(sequences: readonly number[], itemsMax = tuning.sequenceLinks): Markup {
  const shown = sequences.slice(0, itemsMax).map((sequence) => html`<a class="sequence" href="#entry-${sequence}">#${sequence}</a> `);
  return html`${shown}${sequences.length > itemsMax ? html`<span class="quiet">and ${sequences.length - itemsMax} more</span>` : null}`;
}

export function statusBadge(status: string): Markup {
  return html`<span class="status ${status}">${status.replace('_', ' ')}</span>`;
}
