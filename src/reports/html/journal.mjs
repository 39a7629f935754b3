// The journal as a list: only the rows in view are in the page, so thousands scroll as smoothly as ten.
import { button, h } from './dom.mjs';
import { onSelect, openEntry, selectedSequence } from './entry-drawer.mjs';
import { entryRow } from './entry-row.mjs';
import { filteredRows } from './journal-filter.mjs';
import { data, kindNames, positionOf, rows } from './page-data.mjs';

const rowHeight = 30;
const rowsAround = 12;

export function startJournal(section) {
  if (rows.length === 0) return;
  section.hidden = false;
  const journal = new Journal();
  section.append(...omittedNote(), journal.controls, journal.viewport, journal.status);
  journal.apply();
}

function omittedNote() {
  if (rows.length === data.total) return [];
  const text = `This page holds ${rows.length} of ${data.total} entries: the first ones, what assertions cite, tool calls and whatever failed, and the last ones. All of them are in evidence.jsonl beside this file, entry n on line n.`;
  return [h('p', { class: 'omitted' }, text)];
}

class Journal {
  #filter = { kinds: new Set(), words: '', only: 'all' };
  /** Indexes of rows, and before each stretch that is not in the page a gap `{ from, to }`. */
  #items = [];
  #spacer = h('div', { class: 'journal-spacer' });

  viewport = h(
    'div',
    { class: 'journal', tabindex: '0', role: 'listbox', 'aria-label': 'Journal entries: arrow keys move, Enter opens' },
    this.#spacer,
  );
  status = h('p', { class: 'quiet', role: 'status' });
  controls = this.#makeControls();

  constructor() {
    this.viewport.addEventListener('scroll', () => this.#render(), { passive: true });
    this.viewport.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => this.#render()).observe(this.viewport);
    onSelect(() => this.#render());
  }

  apply() {
    const indexes = filteredRows(this.#filter);
    this.#items = withGaps(indexes);
    this.#spacer.style.height = `${this.#items.length * rowHeight}px`;
    this.status.textContent = `${indexes.length} of ${rows.length} entries`;
    this.viewport.scrollTop = 0;
    this.#render();
  }

  #makeControls() {
    const search = h('input', { type: 'search', placeholder: 'Search entries', 'aria-label': 'Search entries' });
    search.addEventListener('input', () => {
      this.#filter.words = search.value;
      this.apply();
    });
    const only = h(
      'select',
      { 'aria-label': 'Which entries' },
      ...[
        ['all', 'All entries'],
        ['problems', 'Only problems'],
        ['cited', 'Only evidence of failures'],
      ].map(([value, text]) => h('option', { value }, text)),
    );
    only.addEventListener('change', () => {
      this.#filter.only = only.value;
      this.apply();
    });
    const chips = Object.keys(data.kinds).map((kind) => {
      const chip = button(
        `${kindNames[kind] ?? kind} ${data.kinds[kind]}`,
        () => {
          const on = !this.#filter.kinds.delete(kind);
          if (on) this.#filter.kinds.add(kind);
          chip.setAttribute('aria-pressed', String(on));
          this.apply();
        },
        { class: `chip kind-${kind}`, 'aria-pressed': 'false' },
      );
      return chip;
    });
    return h('div', { class: 'toolbar' }, search, only, h('span', { class: 'chips' }, ...chips));
  }

  #render() {
    const first = Math.max(Math.floor(this.viewport.scrollTop / rowHeight) - rowsAround, 0);
    const last = Math.min(first + Math.ceil(this.viewport.clientHeight / rowHeight) + 2 * rowsAround, this.#items.length);
    const elements = [];
    for (let index = first; index < last; index++) {
      const element = this.#element(this.#items[index]);
      element.style.top = `${index * rowHeight}px`;
      elements.push(element);
    }
    this.#spacer.replaceChildren(...elements);
  }

  #element(item) {
    if (typeof item !== 'number')
      return h(
        'div',
        { class: 'gap' },
        `${item.to - item.from + 1} entries are not in this page: evidence.jsonl, lines ${item.from} to ${item.to}`,
      );
    const row = rows[item];
    const chosen = row.entry.sequence === selectedSequence();
    return entryRow(row, {
      role: 'option',
      'aria-selected': String(chosen),
      id: `row-${row.entry.sequence}`,
      class: chosen ? 'chosen' : '',
    });
  }

  #key(event) {
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === 'Enter' && selectedSequence() !== null) openEntry(selectedSequence());
    else if (move === undefined) return;
    else this.#moveBy(move);
    event.preventDefault();
  }

  #moveBy(move) {
    const listed = this.#items.filter((item) => typeof item === 'number');
    if (listed.length === 0) return;
    const at = selectedSequence() === null ? -1 : listed.indexOf(positionOf(selectedSequence()));
    const next = listed[Math.min(Math.max(at + move, 0), listed.length - 1)];
    openEntry(rows[next].entry.sequence, { focus: false });
    this.#scrollTo(this.#items.indexOf(next));
    this.viewport.setAttribute('aria-activedescendant', `row-${rows[next].entry.sequence}`);
  }

  #scrollTo(index) {
    const top = index * rowHeight;
    const { scrollTop, clientHeight } = this.viewport;
    if (top < scrollTop) this.viewport.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.viewport.scrollTop = top + rowHeight - clientHeight;
  }
}

/** Only between neighbors of the page, so that a filter does not look like something missing. */
function withGaps(indexes) {
  const items = [];
  for (const index of indexes) {
    const before = index === 0 ? 0 : rows[index - 1].entry.sequence;
    const { sequence } = rows[index].entry;
    if (sequence > before + 1) items.push({ from: before + 1, to: sequence - 1 });
    items.push(index);
  }
  return items;
}
