// What happened in the run: interactions, checkpoints, budgets, attachments, and the run's identity in full.
import { limits } from '../contract/limits.js';
import { usageOf } from '../contract/run/agent-usage.js';
import type { InteractionResult, RunResult } from '../contract/run/run.js';
import type { RunReport } from '../contract/run/run-events.js';
import { counted } from '../text/counted.js';
import type { Content, Markup } from '../text/markup.js';
import { virtualClock, virtualDuration } from '../text/virtual-time.js';
import type { AttachmentView } from './attachments.js';
import { actorName } from './entry-text.js';
import type { EvidenceView } from './evidence-view.js';
import { callRows } from './html-entries.js';
import { statusBadge, valueBlock } from './html-values.js';
import { callsByInteraction } from './interaction-calls.js';
import { html } from './markup.js';
import type { Preview } from './preview.js';
import { runHashes } from './run-hashes.js';
import { usageText } from './shown-values.js';
import { accessWords } from './words.js';

export function interactionsSection({ result }: RunReport, evidence: EvidenceView): Markup | null {
  if (result.interactions.length === 0) return null;
  const calls = callsByInteraction(result, evidence.shown);
  const shown = shownInteractions(result.interactions);
  const more = result.interactions.length - shown.length;
  return html`${shown.map((interaction) => interactionCard(interaction, calls.get(interaction.interactionId) ?? [], evidence))}
${more > 0 ? html`<p class="quiet">${more} more are in report.json.</p>` : null}`;
}

function interactionCard(interaction: InteractionResult, calls: readonly number[], evidence: EvidenceView): Markup {
  const { interactionId, task, targetResult, startedAtVirtualUs, finishedAtVirtualUs } = interaction;
  const { status, output, error, usage } = targetResult;
  return html`<article class="interaction" id="interaction-${interactionId}">
<header><h3>${interactionId}</h3>${statusBadge(status)}<span class="kind">${actorName(interaction)}</span>
<span class="quiet">at ${virtualClock(startedAtVirtualUs)}, took ${virtualDuration(finishedAtVirtualUs - startedAtVirtualUs)} · access ${accessWords[interaction.bindingEvidence]}</span></header>
<blockquote>${task.instruction}</blockquote>
${task.input === undefined ? null : html`<details><summary>Input</summary>${valueBlock(task.input)}</details>`}
${calls.length === 0 ? html`<p class="quiet">No tool call in the journal.</p>` : html`<h4>${counted(calls.length, 'tool call')}</h4>${callRows(calls, evidence)}`}
${error === undefined ? null : html`<p class="message"><code>${error.code}</code> ${error.message}</p>`}${
  usage === undefined
    ? null
    : html`
<p class="quiet">Used ${usageText(usage)}</p>`
}
${output === undefined ? null : html`<details open><summary>Output</summary>${valueBlock(output)}</details>`}
</article>`;
}

/** All when they are few; else those that failed and the first of the others, in order. */
function shownInteractions(interactions: readonly InteractionResult[]): InteractionResult[] {
  if (interactions.length <= limits.reportListItemsMax) return [...interactions];
  const failed = interactions.filter(({ targetResult }) => targetResult.status !== 'completed').slice(0, limits.reportListItemsMax / 2);
  const chosen = new Set([...failed, ...interactions.slice(0, limits.reportListItemsMax - failed.length)]);
  return interactions.filter((interaction) => chosen.has(interaction));
}

export function checkpointsSection({ checkpoints }: RunResult): Markup | null {
  if (checkpoints.length === 0) return null;
  const rows = checkpoints.slice(0, limits.reportListItemsMax).map(
    ({ checkpointId, kind, verdict, virtualTimeUs, assertionResults, interactionId }) =>
      html`<tr><td>${statusBadge(verdict)}</td><td><strong>${checkpointId}</strong><br><span class="quiet">${kind.replaceAll('_', ' ')}</span></td>
<td>${virtualClock(virtualTimeUs)}</td><td>${assertionResults.map(({ assertionId, status }) => html`<span class="check ${status}">${assertionId}</span> `)}</td>
<td>${interactionId === undefined ? null : html`<a href="#interaction-${interactionId}">${interactionId}</a>`}</td></tr>`,
  );
  const more = checkpoints.length - rows.length;
  return html`<div class="scroll"><table class="list"><thead><tr><th scope="col">Verdict</th><th scope="col">Checkpoint</th><th scope="col">Virtual time</th>
<th scope="col">Invariants</th><th scope="col">After</th></tr></thead><tbody>${rows}</tbody></table></div>
${more > 0 ? html`<p class="quiet">${more} more are in report.json.</p>` : null}`;
}

export function budgetsSection(result: RunResult): Markup {
  const { toolCalls, scheduledEvents } = result.budgetUsage;
  const usage = usageOf(result);
  const events = `${counted(scheduledEvents.processed, 'scheduled event')} of ${scheduledEvents.limit}${scheduledEvents.exhausted ? ', exhausted' : ''}`;
  const calls = `${counted(toolCalls.attempted, 'tool call')} of ${toolCalls.limit}${toolCalls.rejected > 0 ? `, ${toolCalls.rejected} rejected` : ''}`;
  return html`<div class="budgets">${meter(calls, toolCalls.attempted, toolCalls.limit)}${meter(events, scheduledEvents.processed, scheduledEvents.limit)}</div>${
    usage === undefined
      ? null
      : html`
<p>The agent used ${usageText(usage)}.</p>`
  }`;
}

function meter(text: string, value: number, limit: number): Markup {
  return html`<label>${text}<progress max="${Math.max(limit, 1)}" value="${Math.min(value, limit)}"></progress></label>`;
}

export function attachmentsSection({ capture }: RunResult, attachments: readonly AttachmentView[]): Markup | null {
  if (attachments.length === 0 && capture.errors.length === 0) return null;
  const items = attachments.slice(0, limits.reportListItemsMax).map(
    ({ descriptor, interactionId, path, preview }) => html`<li>
${path === undefined ? html`<strong>${descriptor.name}</strong> <span class="quiet">not kept</span>` : html`<a href="${path}" download="${descriptor.name}">${descriptor.name}</a>`}
<span class="quiet">${descriptor.mediaType} · ${counted(descriptor.bytes, 'byte')}${interactionId === undefined ? '' : ` · ${interactionId}`}${descriptor.redaction.note === null ? '' : ` · ${descriptor.redaction.note}`}</span>
${preview === undefined ? null : attachmentPreview(preview, descriptor.name)}</li>`,
  );
  const unlisted = attachments.length - items.length;
  const more = unlisted === 0 ? null : html`<li class="quiet">and ${counted(unlisted, 'further attachment')}: report.json names them</li>`;
  const errors = capture.errors.map(
    (error) => html`<li><code>${error.code}</code> ${error.message} <span class="quiet">${error.kind}</span></li>`,
  );
  return html`<ul class="attachments">${items}${more}${errors}</ul>`;
}

function attachmentPreview(preview: Preview, name: string): Markup {
  if ('image' in preview) return html`<img src="${preview.image}" alt="${name}">`;
  return html`<details><summary>${preview.whole ? 'Show' : 'Show its end'}</summary><pre tabindex="0">${preview.text}</pre></details>`;
}

export function unansweredSection({ unanswered }: RunReport): Content {
  if (unanswered === undefined) return null;
  const { requests, left } = unanswered;
  const items = requests
    .slice(0, limits.reportListItemsMax)
    .map(
      ({ method, path, status, times }) =>
        html`<li><code>${method} ${path}</code> ${status}${times > 1 ? ` · ${counted(times, 'time')}` : ''}</li>`,
    );
  const unlisted = requests.slice(items.length).reduce((sum, { times }) => sum + times, left);
  return html`<ul>${items}${unlisted === 0 ? null : html`<li class="quiet">and ${counted(unlisted, 'further request')}</li>`}</ul>`;
}

export function identitySection({ result }: RunReport): Markup {
  const { identity } = result;
  const facts = [['run', identity.runId], ['world', identity.worldInstanceId], ...runHashes(result)];
  return html`<dl class="hashes whole">${facts.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd><code class="copy" data-copy="${value}">${value}</code></dd></div>`,
  )}</dl>
<p class="quiet">Status ${result.status.replace('_', ' ')} · consistency ${result.worldConsistency} · access ${result.bindingEvidence.replace('_', ' ')} ·
the run's entries are #${result.evidenceRange.fromSequence}–${result.evidenceRange.toSequence}. Equal inputs give equal state, evidence and trajectory, byte for byte.</p>`;
}
