// Entries of the journal as rows of plain HTML: those around what an assertion cites, and the calls of an interaction. Each is a way to its
// entry, which the script opens.
import { grouped } from '../text/counted.js';
import type { Markup } from '../text/markup.js';
import { virtualOffset } from '../text/virtual-time.js';
import { visibleLine } from '../text/visible-text.js';
import { placesAround } from './around.js';
import { entryBrief } from './entry-brief.js';
import type { EvidenceView, ShownEntry } from './evidence-view.js';
import { html } from './markup.js';
import { tuning } from './tuning.js';
import { kindNames } from './words.js';

/** The cited entries with those before and after; where stretches are left out, a row says so. null where the page has none of them. */
export function entriesAround(sequences: readonly number[], { shown }: EvidenceView): Markup | null {
  const cited = new Set(sequences.slice(0, tuning.findingEntries));
  const startUs = shown[0]?.entry.virtualTimeUs ?? 0;
  const kept = placesAround(
    shown.flatMap(({ entry }, place) => (cited.has(entry.sequence) ? [place] : [])),
    shown.length,
  );
  if (kept.length === 0) return null;
  const rows = kept.map((index, at) => {
    const row = shown[index] as ShownEntry;
    const before = at === 0 ? undefined : shown[kept[at - 1] as number]?.entry.sequence;
    const gap = before === undefined ? 0 : row.entry.sequence - before - 1;
    return html`${gap > 0 ? html`<div class="gap">${grouped(gap)} entries between</div>` : null}${entryRow(row, { startUs, isCited: cited.has(row.entry.sequence) })}`;
  });
  return html`<div class="entry-list">${rows}</div>`;
}

/** The first of the calls, with what was asked and answered. */
export function callRows(sequences: readonly number[], { shown }: EvidenceView): Markup {
  const wanted = new Set(sequences.slice(0, tuning.aroundRows));
  const startUs = shown[0]?.entry.virtualTimeUs ?? 0;
  const rows = shown.filter(({ entry }) => wanted.has(entry.sequence)).map((row) => entryRow(row, { startUs, isCited: true }));
  const more = sequences.length - rows.length;
  return html`<div class="entry-list">${rows}</div>${more > 0 ? html`<p class="quiet">and ${grouped(more)} more calls</p>` : null}`;
}

function entryRow({ entry, problem }: ShownEntry, { startUs, isCited }: { startUs: number; isCited: boolean }): Markup {
  const { text, more } = entryBrief(entry, { oneTool: false, oneActor: false });
  return html`<a class="entry-row${problem ? ' problem' : ''}${isCited ? '' : ' context'}" href="#entry-${entry.sequence}"><span class="number">#${entry.sequence}</span>
<span class="time">${virtualOffset(entry.virtualTimeUs - startUs)}</span> <span class="kind kind-${entry.kind}">${kindNames[entry.kind]}</span>
<span class="text">${visibleLine(text)}${more === '' ? null : html` <span class="more-text">${visibleLine(more)}</span>`}</span></a>`;
}
