// What the run did to the world: each row that changed, from what it was to what it became, with the steps between.
import { button, h } from './dom.mjs';
import { sequenceButton } from './entry-drawer.mjs';
import { changeTable } from './json-view.mjs';
import { data, failingAt, rows } from './page-data.mjs';

const rowsAtOnce = 20;

export function startStateChanges(section) {
  const changed = changedRows();
  if (changed.length === 0) return;
  section.hidden = false;
  const left = (data.kinds.state_change ?? 0) - changed.reduce((sum, row) => sum + row.changes.length, 0);
  const note = `${changed.length} ${changed.length === 1 ? 'row' : 'rows'} changed${left > 0 ? `; ${left} more changes are not in this page but in evidence.jsonl` : ''}.`;
  const list = h('div', { class: 'changed-rows' });
  let shown = 0;
  const more = button('Show more', () => showMore(), { class: 'more' });
  const showMore = () => {
    list.append(...changed.slice(shown, shown + rowsAtOnce).map(rowCard));
    shown += rowsAtOnce;
    more.hidden = shown >= changed.length;
  };
  showMore();
  section.append(h('p', { class: 'quiet' }, note), list, more);
}

/** By (package, instance, namespace, row), those that failed assertions cite first, then in order of their first change. */
function changedRows() {
  const byRow = new Map();
  for (const { entry } of rows) {
    if (entry.kind !== 'state_change') continue;
    const key = JSON.stringify([entry.packageId, entry.instanceId, entry.namespace, entry.rowId]);
    const known = byRow.get(key);
    if (known === undefined) byRow.set(key, { first: entry, changes: [entry] });
    else known.changes.push(entry);
  }
  const cited = ({ changes }) => changes.some((entry) => failingAt(entry.sequence).length > 0);
  return [...byRow.values()].sort((one, other) => Number(cited(other)) - Number(cited(one)));
}

function rowCard({ first, changes }) {
  const last = changes[changes.length - 1];
  const owner = first.instanceId === first.packageId ? first.packageId : `${first.packageId}@${first.instanceId}`;
  const net =
    first.before === null ? (last.after === null ? 'inserted and deleted' : 'inserted') : last.after === null ? 'deleted' : 'updated';
  const cited = changes.some((entry) => failingAt(entry.sequence).length > 0);
  const header = h(
    'header',
    {},
    h('h3', {}, h('span', { class: 'quiet' }, `${owner} / ${first.namespace} / `), first.rowId),
    h('span', { class: `change change-${last.after === null ? 'delete' : first.before === null ? 'insert' : 'update'}` }, net),
    h(
      'span',
      { class: 'sequences' },
      ...changes.slice(0, 12).flatMap((entry) => [sequenceButton(entry.sequence), ' ']),
      changes.length > 12 ? `and ${changes.length - 12} more` : '',
    ),
  );
  const card = h('article', { class: cited ? 'changed-row cited' : 'changed-row' }, header, changeTable(first.before, last.after));
  if (changes.length > 1) {
    const steps = changes.slice(0, 50).map((entry) => h('li', {}, sequenceButton(entry.sequence), changeTable(entry.before, entry.after)));
    card.append(h('details', {}, h('summary', {}, `${changes.length} steps`), h('ol', { class: 'steps' }, ...steps)));
  }
  return card;
}
