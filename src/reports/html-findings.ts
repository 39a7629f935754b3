// Why the run has its verdict: each thing that did not hold, with expected, actual, difference and the evidence.
import { limits } from '../contract/limits.js';
import type { RunReport } from '../contract/run/run-events.js';
import type { Markup } from '../text/markup.js';
import { visibleLine } from '../text/visible-text.js';
import { type AgentCause, type Cause, causesOf, undecidedMessage } from './causes.js';
import type { EvidenceView } from './evidence-view.js';
import type { ReportFinding } from './findings.js';
import { entriesAround } from './html-entries.js';
import { diffTable, sequenceList, statusBadge, valueBlock } from './html-values.js';
import { html } from './markup.js';
import { assertionDiff, diffDetails, locationText, valueLine } from './shown-values.js';
import { storyOf } from './story.js';
import { tuning } from './tuning.js';
import { viewJournal } from './view-journal.js';
import { advisory, boundsText } from './words.js';

/** null when everything holds and nothing failed. */
export function whySection(report: RunReport, evidence: EvidenceView): Markup | null {
  const causes = causesOf(report);
  if (causes.length === 0) return null;
  const cards = causes.slice(0, limits.reportListItemsMax).map((cause) => causeCard(cause, report, evidence));
  const more = causes.length - cards.length;
  return html`<div class="findings">${cards}</div>${more > 0 ? html`<p class="quiet">${more} more are in report.json.</p>` : null}`;
}

/** What led to the failure, line by line; each leads to its entry. */
export function storySection(report: RunReport, evidence: EvidenceView): Markup | null {
  const lines = storyOf(report, viewJournal(evidence));
  if (lines.length === 0) return null;
  return html`<ol class="story">${lines.map(({ role, text, sequence, assertionId }) => {
    const link = sequence === undefined ? null : html`<a class="sequence" href="#entry-${sequence}">#${sequence}</a> `;
    const said = assertionId === undefined ? visibleLine(text) : html`<a href="#assertion-${assertionId}">${visibleLine(text)}</a>`;
    return html`<li class="story-${role}">${link}${said}</li>`;
  })}</ol>`;
}

function causeCard(cause: Cause, { cutShort }: RunReport, evidence: EvidenceView): Markup {
  switch (cause.kind) {
    case 'tool':
      return html`<article class="finding failed"><header><h3>${cause.title}</h3></header>
<p class="message">${visibleLine(cause.message)}</p><p>Evidence ${sequenceList([cause.sequence])}</p></article>`;
    case 'run':
      return html`<article class="finding failed"><header><h3>${cause.title}</h3></header>
<p class="message">${cause.message}</p>${cause.issues.length === 0 ? null : html`<ul>${cause.issues.map((issue) => html`<li>${issue}</li>`)}</ul>`}
${cause.sequence === undefined ? null : html`<p>Evidence ${sequenceList([cause.sequence])}</p>`}</article>`;
    case 'budget':
      return html`<article class="finding failed"><header><h3>${cause.title}</h3></header><p class="message">${cause.message}</p></article>`;
    case 'agent':
      return agentCard(cause);
    case 'finding':
      return findingCard(cause.finding, evidence);
    case 'undecided':
      return html`<article class="finding inconclusive"><header><h3>${cause.title}</h3></header><ul class="undecided">${cause.findings
        .slice(0, limits.reportListItemsMax)
        .map(
          (finding) =>
            html`<li id="assertion-${finding.assertion.assertionId}"><strong>${finding.assertion.assertionId}</strong> ${undecidedMessage(finding, cutShort)}</li>`,
        )}</ul></article>`;
  }
}

function agentCard({ title, interactionId, code, message, log, answer, place }: AgentCause): Markup {
  const said = [...log, ...answer].map(visibleLine);
  return html`<article class="finding failed"><header><h3>${title}</h3>${code === undefined ? null : html`<code class="kind">${code}</code>`}</header>
${message === undefined ? null : html`<p class="message">${message}</p>`}
${place === undefined ? null : html`<p class="where"><code>${place.file}:${place.line}:${place.column}</code></p>`}
${said.length === 0 ? null : html`<pre class="json log" tabindex="0">${said.join('\n')}</pre>`}
<p><a href="#interaction-${interactionId}">Interaction ${interactionId}</a></p></article>`;
}

function findingCard({ assertion, checkpointIds }: ReportFinding, evidence: EvidenceView): Markup {
  const { assertionId, kind, status, gate, message, location, evidenceSequences } = assertion;
  const difference = status === 'inconclusive' ? null : assertionDiff(assertion);
  const details = diffDetails(assertion);
  return html`<article class="finding ${gate ? status : 'advisory'}" id="assertion-${assertionId}">
<header><h3>${assertionId}</h3>${statusBadge(status)}<span class="kind">${kind}</span>${gate ? null : html`<span class="kind">${advisory}</span>`}</header>
<p class="message">${message}</p>
${location === undefined ? null : html`<p class="where"><code>${locationText(location)}</code></p>`}
${checkpointIds.length === 0 ? null : html`<p class="quiet">At ${checkpointIds.length === 1 ? 'checkpoint' : 'checkpoints'} ${checkpointIds.slice(0, tuning.findingCheckpoints).join(', ')}${checkpointIds.length > tuning.findingCheckpoints ? ` and ${checkpointIds.length - tuning.findingCheckpoints} more` : ''}</p>`}
${comparison(assertion)}
${difference === null ? null : diffTable(difference, { before: 'Expected', after: 'Actual' })}
${details.length === 0 ? null : html`<dl class="facts">${details.map(([name, value]) => html`<div><dt>${name}</dt><dd><code>${valueLine(value, 400)}</code></dd></div>`)}</dl>`}
${evidenceSequences.length === 0 ? html`<p class="quiet">No entry of the journal speaks of it.</p>` : evidenceList(evidenceSequences, evidence)}
</article>`;
}

/** Where nothing was decided there is nothing to compare. */
function comparison({ status, expected, actual }: ReportFinding['assertion']): Markup | null {
  if (status === 'inconclusive' || (expected === undefined && actual === undefined)) return null;
  const bounds = boundsText(expected);
  return html`<div class="compare">
<figure class="expected"><figcaption>Expected</figcaption>${bounds === undefined ? valueBlock(expected) : html`<pre class="json" tabindex="0">${bounds}</pre>`}</figure>
<figure class="actual"><figcaption>Actual</figcaption>${valueBlock(actual)}</figure>
</div>`;
}

function evidenceList(sequences: readonly number[], evidence: EvidenceView): Markup {
  return html`<h4>Evidence ${sequenceList(sequences)}</h4>
${entriesAround(sequences, evidence)}`;
}
