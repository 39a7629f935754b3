// What the world started from: actors with their grants, tools, faults, planned events, overrides and rows.
import { limits } from '../contract/limits.js';
import type { RunResult } from '../contract/run/run.js';
import type { Grant, ScenarioActor, StatePatch } from '../contract/world/scenario.js';
import { counted } from '../text/counted.js';
import type { Content, Markup } from '../text/markup.js';
import { virtualClock } from '../text/virtual-time.js';
import { place } from './entry-text.js';
import { valueBlock } from './html-values.js';
import { html } from './markup.js';
import { valueLine } from './shown-values.js';
import { tuning } from './tuning.js';

export function setupSection({ setup }: RunResult): Markup {
  const { tools, bindings, scenario } = setup.setup;
  const environment = Object.entries(bindings.environment);
  return html`<p class="quiet">The clock starts at ${virtualClock(scenario.virtualTimeUs)}. Setup <code class="copy" data-copy="${setup.setupHash}">${setup.setupHash}</code></p>
${folded('Actors', scenario.actors, actorItem, true)}
${folded('Tools', tools.packages, toolItem, true)}
${folded('Faults', scenario.faults, (fault) => html`<li><code>${place(fault)}.${fault.faultId}</code></li>`, true)}
${folded('Planned events', scenario.initialEvents, eventItem)}
${folded(
  'Overrides',
  scenario.toolOverrides,
  (rule) => html`<li><strong>${rule.id}</strong> <code>${place(rule.operation)}.${rule.operation.operationId}</code>
${rule.when === undefined ? null : html`when <code>${valueLine(rule.when as never, 400)}</code>`} → <code>${valueLine(rule.outcome as never, 400)}</code>${rule.times === undefined ? '' : `, ${counted(rule.times, 'time')}`}</li>`,
)}
${folded('Rows', scenario.state, rowItem)}
${folded('Environment of the target', environment, ([name, value]) => html`<li><code>${name}</code> = <code>${value}</code></li>`)}`;
}

function folded<T>(title: string, items: readonly T[], item: (value: T) => Markup, open = false): Content {
  if (items.length === 0) return null;
  const more = items.length - limits.reportListItemsMax;
  return html`<details${open && items.length <= tuning.openItemsMax ? html` open` : null}><summary>${title} <span class="quiet">${items.length}</span></summary>
<ul class="setup">${items.slice(0, limits.reportListItemsMax).map(item)}${more > 0 ? html`<li class="quiet">${more} more are in report.json</li>` : null}</ul></details>`;
}

function actorItem({ id, instanceId, description, attributes, grants }: ScenarioActor): Markup {
  const name = instanceId === undefined ? id : `${id}@${instanceId}`;
  return html`<li><strong>${name}</strong>${description === undefined ? null : html` <span class="quiet">${description}</span>`}
${Object.keys(attributes).length === 0 ? null : html`<br><code>${valueLine(attributes, 400)}</code>`}
<br>${grantTexts(grants).map((text) => html`<span class="grant">${text}</span> `)}</li>`;
}

/** One text a package: `payments: charges.get, refunds.create`. */
function grantTexts(grants: readonly Grant[]): string[] {
  const byPackage = new Map<string, string[]>();
  for (const grant of grants) byPackage.set(place(grant), [...(byPackage.get(place(grant)) ?? []), grant.operationId]);
  return [...byPackage].map(([name, operations]) => `${name}: ${operations.join(', ')}`);
}

function toolItem({ packageId, version, artifactHash }: RunResult['setup']['setup']['tools']['packages'][number]): Markup {
  return html`<li><strong>${packageId}</strong> ${version} <code class="copy" data-copy="${artifactHash}">${artifactHash.slice(0, 19)}…</code></li>`;
}

function eventItem({ event, payload, atUs, actorId }: RunResult['setup']['setup']['scenario']['initialEvents'][number]): Markup {
  return html`<li><code>${place(event)}.${event.eventId}</code> at ${virtualClock(atUs)} for ${actorId} <code>${valueLine(payload, 400)}</code></li>`;
}

function rowItem(patch: StatePatch): Markup {
  const name = html`<code>${place(patch)}/${patch.namespace}/${patch.rowId}</code>`;
  if (patch.action === 'delete') return html`<li>${name} <span class="quiet">deleted</span></li>`;
  return html`<li><details><summary>${name}</summary>${valueBlock(patch.value)}</details></li>`;
}
