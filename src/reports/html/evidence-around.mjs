// Puts the journal into the plain HTML: the entries around what an assertion cites, the tool calls of an interaction, and ways to entries.
import { button, h } from './dom.mjs';
import { sequenceButton } from './entry-drawer.mjs';
import { entryButton } from './entry-row.mjs';
import { positionOf, rowOf, rows, sequencesIn } from './page-data.mjs';

const contextEntries = 2;
const shownRows = 12;

export function fillEvidence() {
  for (const place of document.querySelectorAll('.around')) fillAround(place);
  for (const place of document.querySelectorAll('.calls')) fillCalls(place);
  for (const place of document.querySelectorAll('span.sequence[data-sequence]')) {
    place.replaceWith(sequenceButton(Number(place.dataset.sequence)));
  }
}

/** The cited entries with those before and after; where stretches are left out, a line says so. */
function fillAround(place) {
  const cited = sequencesIn(place.dataset.sequences).filter((sequence) => rowOf(sequence) !== undefined);
  if (cited.length === 0) return;
  const wanted = new Set();
  for (const sequence of cited) {
    const position = positionOf(sequence);
    for (let near = position - contextEntries; near <= position + contextEntries; near++)
      if (near >= 0 && near < rows.length) wanted.add(near);
  }
  const items = [];
  let last = null;
  for (const position of [...wanted].sort((left, right) => left - right)) {
    if (last !== null && position > last + 1)
      items.push(h('div', { class: 'gap' }, `${rows[position].entry.sequence - rows[last].entry.sequence - 1} entries between`));
    const row = rows[position];
    items.push(entryButton(row, { class: cited.includes(row.entry.sequence) ? '' : 'context' }));
    last = position;
  }
  place.replaceChildren(h('div', { class: 'entry-list' }, ...folded(items)));
}

function fillCalls(place) {
  const calls = sequencesIn(place.dataset.sequences)
    .map(rowOf)
    .filter((row) => row !== undefined);
  const items = calls.map((row) => {
    const element = entryButton(row);
    element.append(h('code', { class: 'arguments' }, JSON.stringify(row.entry.invocation.arguments)));
    return element;
  });
  place.replaceChildren(h('h4', {}, `Tool calls (${calls.length})`), h('div', { class: 'entry-list' }, ...folded(items)));
}

/** A long list begins short. */
function folded(items) {
  if (items.length <= shownRows + 2) return items;
  const more = button(`Show ${items.length - shownRows} more`, () => more.replaceWith(...items.slice(shownRows)), { class: 'more' });
  return [...items.slice(0, shownRows), more];
}
