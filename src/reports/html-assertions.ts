// Every assertion of the run, those that hold too: what was checked and what speaks for it.
import { limits } from '../contract/limits.js';
import type { AssertionResult, RunResult } from '../contract/run/run.js';
import type { Markup } from '../text/markup.js';
import { sequenceList, statusBadge } from './html-values.js';
import { html } from './markup.js';
import { locationText, valueLine } from './shown-values.js';
import { advisory } from './words.js';

export function assertionsSection({ assertionResults }: RunResult): Markup {
  const rows = assertionResults.slice(0, limits.reportListItemsMax).map(assertionRow);
  const more = assertionResults.length - rows.length;
  return html`<div class="scroll"><table class="list"><thead><tr><th scope="col">Status</th><th scope="col">Assertion</th><th scope="col">What was found</th>
<th scope="col">Evidence</th></tr></thead><tbody>${rows}</tbody></table></div>${more > 0 ? html`<p class="quiet">${more} more are in report.json.</p>` : null}`;
}

function assertionRow({ assertionId, kind, status, gate, message, location, expected, evidenceSequences }: AssertionResult): Markup {
  return html`<tr><td>${statusBadge(status)}</td>
<td><strong>${assertionId}</strong><br><span class="quiet">${kind}${gate ? '' : ` · ${advisory}`}</span></td>
<td>${message}<br><span class="quiet">${location === undefined ? null : html`<code>${locationText(location)}</code>`}
${status !== 'passed' || expected === undefined ? null : html`<code>${valueLine(expected, 80)}</code>`}</span></td>
<td>${sequenceList(evidenceSequences, 6)}</td></tr>`;
}
