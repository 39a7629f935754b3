// One entry in full, at the side of the page. Whatever names an entry opens it here; the address remembers it (#entry-14).
import { button, h } from './dom.mjs';
import { changeTable, jsonBlock } from './json-view.mjs';
import { kindNames } from './kind-names.mjs';
import { data, failingAt, positionOf, rowOf, rows } from './page-data.mjs';
import { virtualClock, virtualOffset } from './virtual-time.mjs';

const listeners = new Set();
let selected = null;
let opener = null;
const drawer = h('aside', { id: 'drawer', class: 'drawer', 'aria-label': 'Journal entry', tabindex: '-1', hidden: true });

/** Called with the selected sequence, or null. */
export function onSelect(listener) {
  listeners.add(listener);
}

export function selectedSequence() {
  return selected;
}

export function startDrawer() {
  document.body.append(drawer);
  drawer.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowLeft') step(-1);
    else if (event.key === 'ArrowRight') step(1);
    else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && selected !== null) closeEntry();
  });
  const fromAddress = () => {
    const match = /^#entry-(\d+)$/.exec(location.hash);
    if (match !== null && rowOf(Number(match[1])) !== undefined) openEntry(Number(match[1]));
  };
  window.addEventListener('hashchange', fromAddress);
  fromAddress();
}

/** Shows the entry; `focus` moves the keyboard there, too. */
export function openEntry(sequence, { focus = true } = {}) {
  const row = rowOf(sequence);
  if (row === undefined) return;
  if (selected === null) opener = document.activeElement;
  selected = sequence;
  history.replaceState(null, '', `#entry-${sequence}`);
  drawer.replaceChildren(...drawerContent(row));
  drawer.hidden = false;
  document.body.classList.add('with-drawer');
  drawer.scrollTop = 0;
  if (focus) drawer.focus({ preventScroll: true });
  for (const listener of listeners) listener(sequence);
}

export function closeEntry() {
  selected = null;
  drawer.hidden = true;
  document.body.classList.remove('with-drawer');
  history.replaceState(null, '', location.pathname + location.search);
  for (const listener of listeners) listener(null);
  if (opener?.isConnected) opener.focus({ preventScroll: true });
}

function step(by) {
  const next = rows[positionOf(selected) + by];
  if (next !== undefined) openEntry(next.entry.sequence);
}

/** A button `#14` that opens its entry; plain text when the page does not have it. */
export function sequenceButton(sequence) {
  if (rowOf(sequence) === undefined) return h('span', { class: 'sequence', title: 'Not in this page: see evidence.jsonl' }, `#${sequence}`);
  const failing = failingAt(sequence).length > 0;
  return button(`#${sequence}`, () => openEntry(sequence), {
    class: failing ? 'sequence cited' : 'sequence',
    'aria-label': `Entry ${sequence}`,
  });
}

function drawerContent({ entry, text }) {
  const position = positionOf(entry.sequence);
  const bar = h(
    'div',
    { class: 'drawer-bar' },
    h('strong', {}, `#${entry.sequence}`),
    h('span', { class: `kind kind-${entry.kind}` }, kindNames[entry.kind] ?? entry.kind),
    button('←', () => step(-1), { 'aria-label': 'Previous entry', disabled: position === 0 }),
    button('→', () => step(1), { 'aria-label': 'Next entry', disabled: position === rows.length - 1 }),
    button('Close', closeEntry, { class: 'close' }),
  );
  const failing = failingAt(entry.sequence);
  return [
    bar,
    h('h2', { class: 'entry-text' }, text),
    failing.length === 0 ? '' : h('p', { class: 'cited-by' }, `Evidence of ${failing.join(', ')}`),
    facts(entry),
    ...details(entry),
    h('details', {}, h('summary', {}, 'The whole entry'), jsonBlock(entry)),
    h('p', { class: 'quiet' }, `Line ${entry.sequence} of evidence.jsonl, where members are in canonical order.`),
  ];
}

function facts(entry) {
  const list = [
    ['virtual time', `${virtualClock(entry.virtualTimeUs)} (start + ${virtualOffset(entry.virtualTimeUs - data.startedAtUs)})`],
    ['transaction', `${entry.transactionIndex + 1} of ${entry.transactionSize}`],
    ...(entry.causeSequence === undefined ? [] : [['caused by', sequenceButton(entry.causeSequence)]]),
    ...(entry.replayedFromSequence === undefined ? [] : [['replay of', sequenceButton(entry.replayedFromSequence)]]),
    ...(entry.invocation?.idempotencyKey === undefined
      ? []
      : [['idempotency', `${entry.idempotency}, key ${entry.invocation.idempotencyKey}`]]),
  ];
  const effects = rows.filter((row) => row.entry.causeSequence === entry.sequence).slice(0, 20);
  if (effects.length > 0) list.push(['effects', h('span', {}, ...effects.flatMap((row) => [sequenceButton(row.entry.sequence), ' ']))]);
  return h('dl', { class: 'facts' }, ...list.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

/** What matters most of each kind, before the whole entry. */
function details(entry) {
  const block = (title, value) => (value === undefined ? [] : [h('h3', {}, title), jsonBlock(value)]);
  switch (entry.kind) {
    case 'operation':
      return [
        ...block('Arguments', entry.invocation.arguments),
        ...block(entry.outcome.kind === 'ok' ? 'Answer' : 'Error', entry.outcome.value ?? entry.outcome.error),
      ];
    case 'state_change':
      return [changeTable(entry.before, entry.after)];
    case 'event':
      return [...block('Payload', entry.payload), ...block('Error', entry.error)];
    case 'verification':
      return block('Result', entry.result.assertions);
    case 'lifecycle':
      return block('Details', entry.details);
    default:
      return [];
  }
}
