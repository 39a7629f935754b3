// Why the run has its verdict: each thing that did not hold, with expected, actual, difference and the evidence.
import { limits } from '../contract/limits.js';
import type { RunResult } from '../contract/run/run.js';
import type { RunReport } from '../contract/run/run-events.js';
import { type ToolFailureReport, toolFailureText } from '../contract/world/tool-failure.js';
import type { Markup } from '../text/markup.js';
import type { EvidenceView } from './evidence-view.js';
import { failedInteractions, findingsOf, type ReportFinding } from './findings.js';
import { visibleLine } from './html/visible-text.mjs';
import { diffTable, sequenceList, statusBadge, valueBlock } from './html-values.js';
import { html } from './markup.js';
import { assertionDiff, diffDetails, locationText, valueLine } from './shown-values.js';
import { saidLast } from './text-report.js';
import { tuning } from './tuning.js';

/** null when everything holds and nothing failed. */
export function whySection({ result, toolFailures = [] }: RunReport, evidence: EvidenceView): Markup | null {
  const findings = findingsOf(result);
  const cards = [
    ...toolFailures.map(toolCard),
    ...failureCard(result),
    ...failedInteractions(result).slice(0, limits.reportListItemsMax).map(interactionCard),
    ...findings.slice(0, limits.reportListItemsMax).map((finding) => findingCard(finding, evidence)),
    ...budgetCard(result),
  ];
  if (cards.length === 0) return null;
  const more = findings.length - limits.reportListItemsMax;
  return html`<div class="findings">${cards}</div>${more > 0 ? html`<p class="quiet">${more} more are in report.json.</p>` : null}`;
}

function findingCard({ assertion, checkpointIds }: ReportFinding, evidence: EvidenceView): Markup {
  const { assertionId, kind, status, gate, message, location, evidenceSequences } = assertion;
  const changes = assertionDiff(assertion);
  const details = diffDetails(assertion);
  return html`<article class="finding ${gate ? status : 'advisory'}">
<header><h3>${assertionId}</h3>${statusBadge(status)}<span class="kind">${kind}</span>${gate ? null : html`<span class="kind">not a gate</span>`}</header>
<p class="message">${message}</p>
${location === undefined ? null : html`<p class="where"><code>${locationText(location)}</code></p>`}
${checkpointIds.length === 0 ? null : html`<p class="quiet">At ${checkpointIds.length === 1 ? 'checkpoint' : 'checkpoints'} ${checkpointIds.slice(0, tuning.findingCheckpoints).join(', ')}${checkpointIds.length > tuning.findingCheckpoints ? ` and ${checkpointIds.length - tuning.findingCheckpoints} more` : ''}</p>`}
${comparison(assertion)}
${changes === null ? null : diffTable(changes, { before: 'Expected', after: 'Actual' })}
${details.length === 0 ? null : html`<dl class="facts">${details.map(([name, value]) => html`<div><dt>${name}</dt><dd><code>${valueLine(value, 400)}</code></dd></div>`)}</dl>`}
${evidenceSequences.length === 0 ? html`<p class="quiet">No entry of the journal speaks of it.</p>` : evidenceList(evidenceSequences, evidence)}
</article>`;
}

function comparison({ expected, actual }: ReportFinding['assertion']): Markup | null {
  if (expected === undefined && actual === undefined) return null;
  return html`<div class="compare">
<figure class="expected"><figcaption>Expected</figcaption>${valueBlock(expected)}</figure>
<figure class="actual"><figcaption>Actual</figcaption>${valueBlock(actual)}</figure>
</div>`;
}

/** The cited entries as text; the script puts the entries around them in its place. */
function evidenceList(sequences: readonly number[], { cited }: EvidenceView): Markup {
  const texts = new Map(cited.map((entry) => [entry.sequence, entry.text]));
  const known = sequences.filter((sequence) => texts.has(sequence)).slice(0, 8);
  return html`<h4>Evidence ${sequenceList(sequences)}</h4>
<div class="around" data-sequences="${sequences.slice(0, tuning.findingEntries).join(' ')}"><ol class="entries">${known.map(
    (sequence) => html`<li><span class="number">#${sequence}</span> ${visibleLine(texts.get(sequence) ?? '')}</li>`,
  )}</ol></div>`;
}

function toolCard(failure: ToolFailureReport): Markup {
  return html`<article class="finding failed"><header><h3>${failure.handlerId}</h3>${statusBadge('failed')}<span class="kind">the tool ${failure.packageId}</span></header>
<p class="message">${visibleLine(toolFailureText(failure))}</p><p>Evidence ${sequenceList([failure.sequence])}</p></article>`;
}

function failureCard({ failure }: RunResult): Markup[] {
  if (failure === undefined) return [];
  const issues = failure.issues.map((issue) => html`<li><code>${issue.path}</code> ${issue.message}</li>`);
  return [
    html`<article class="finding failed"><header><h3>${failure.code}</h3>${statusBadge('failed')}<span class="kind">${failure.source}</span></header>
<p class="message">${failure.message}</p>${issues.length === 0 ? null : html`<ul>${issues}</ul>`}
${failure.evidence?.sequence === undefined ? null : html`<p>Evidence ${sequenceList([failure.evidence.sequence])}</p>`}</article>`,
  ];
}

function interactionCard({ interactionId, targetResult }: RunResult['interactions'][number]): Markup {
  const { status, error } = targetResult;
  const said = error === undefined ? [] : saidLast(error.details).map(visibleLine);
  return html`<article class="finding advisory"><header><h3>${interactionId}</h3>${statusBadge(status)}<span class="kind">the agent</span></header>
${error === undefined ? null : html`<p class="message"><code>${error.code}</code> ${error.message}</p>`}
${said.length === 0 ? null : html`<pre class="json" tabindex="0">${said.join('\n')}</pre>`}
<p><a href="#interaction-${interactionId}">The interaction</a></p></article>`;
}

/** A spent budget explains a run that ends early. */
function budgetCard({ budgetUsage: { toolCalls, scheduledEvents } }: RunResult): Markup[] {
  const texts = [
    ...(toolCalls.rejected > 0 ? [`${toolCalls.rejected} tool calls were rejected: the budget is ${toolCalls.limit}.`] : []),
    ...(scheduledEvents.exhausted ? [`The clock stopped early: the budget of ${scheduledEvents.limit} scheduled events is spent.`] : []),
  ];
  return texts.map(
    (text) => html`<article class="finding advisory"><header><h3>Budget</h3></header><p class="message">${text}</p></article>`,
  );
}
