// One entry as one row of a list.
import { h } from './dom.mjs';
import { openEntry } from './entry-drawer.mjs';
import { kindNames } from './kind-names.mjs';
import { data, failingAt } from './page-data.mjs';
import { virtualOffset } from './virtual-time.mjs';

/** `attributes` go to the row; a click opens the entry. */
export function entryRow({ entry, text, problem }, attributes = {}) {
  const cited = failingAt(entry.sequence).length > 0;
  const classes = ['entry-row', problem ? 'problem' : '', cited ? 'cited' : '', attributes.class ?? ''].filter(Boolean).join(' ');
  const row = h(
    'div',
    { ...attributes, class: classes, 'data-entry': entry.sequence },
    h('span', { class: 'number' }, `#${entry.sequence}`),
    h('span', { class: 'time' }, virtualOffset(entry.virtualTimeUs - data.startedAtUs)),
    h('span', { class: `kind kind-${entry.kind}` }, kindNames[entry.kind] ?? entry.kind),
    h('span', { class: 'text', title: text }, text),
  );
  row.addEventListener('click', () => openEntry(entry.sequence));
  return row;
}

/** The same as something the keyboard reaches by itself. */
export function entryButton(row, attributes = {}) {
  const element = entryRow(row, { role: 'button', tabindex: '0', ...attributes });
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    openEntry(row.entry.sequence);
  });
  return element;
}
