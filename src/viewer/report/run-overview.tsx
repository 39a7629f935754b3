// The filter of the page over a run: it hides rows of the table that the page holds. The address remembers it: `#show=failed&words=refund`.
import { render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { foldCase } from '../../text/fold-case.js';
import { counted } from '../kit/parts.tsx';

/** In the order of the table. */
const kinds = ['failed', 'inconclusive', 'flaky', 'tolerated', 'passed', 'skipped'] as const;
type Kind = (typeof kinds)[number];

interface Filter {
  show: Kind | undefined;
  words: string;
}

function filterOf(hash: string): Filter {
  const query = new URLSearchParams(hash.slice(1));
  return { show: kinds.find((kind) => kind === query.get('show')), words: query.get('words') ?? '' };
}

function hashOf({ show, words }: Filter): string {
  const query = new URLSearchParams({ ...(show === undefined ? {} : { show }), ...(words === '' ? {} : { words }) }).toString();
  return query === '' ? location.pathname + location.search : `#${query}`;
}

export function startOverview(place: HTMLElement): void {
  const rows = [...document.querySelectorAll<HTMLElement>('.trials tbody tr')].map((element) => {
    return { element, kind: element.dataset.shown as Kind, text: foldCase(element.textContent) };
  });
  if (rows.length < 2) return;
  place.hidden = false;
  render(<OverviewFilter rows={rows} />, place);
}

interface Row {
  element: HTMLElement;
  kind: Kind;
  text: string;
}

function OverviewFilter({ rows }: { rows: readonly Row[] }) {
  const [filter, setFilter] = useState(() => filterOf(location.hash));
  const search = useRef<HTMLInputElement>(null);
  const words = foldCase(filter.words.trim());
  const fits = ({ kind, text }: Row): boolean => (filter.show === undefined || kind === filter.show) && text.includes(words);
  const shown = rows.filter(fits).length;
  const change = (next: Filter): void => {
    history.replaceState(null, '', hashOf(next));
    setFilter(next);
  };
  useLayoutEffect(() => {
    for (const row of rows) row.element.hidden = !fits(row);
  }, [filter]);
  useEffect(() => {
    // Of other addresses, as that of the skip link, it remembers what it shows.
    const follow = (): void => {
      if (location.hash === '' || location.hash.includes('=')) setFilter(filterOf(location.hash));
    };
    const press = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === search.current) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener('hashchange', follow);
    addEventListener('keydown', press);
    return () => {
      removeEventListener('hashchange', follow);
      removeEventListener('keydown', press);
    };
  }, []);
  const choice = (show: Kind | undefined, label: string, count: number) => (
    <button key={label} type="button" aria-pressed={filter.show === show} onClick={() => change({ ...filter, show })}>
      {label} <span class="count">{count}</span>
    </button>
  );
  return (
    <div class="filters" role="search">
      <input
        ref={search}
        type="search"
        placeholder="Drill, finding, reason…  /"
        aria-label="Search trials"
        aria-keyshortcuts="/"
        spellcheck={false}
        value={filter.words}
        onInput={(event) => change({ ...filter, words: event.currentTarget.value })}
      />
      <span class="quiet" role="status">
        {shown === rows.length ? '' : `${shown} of ${counted(rows.length, 'row')}`}
      </span>
      <div class="switch" role="group" aria-label="Verdict">
        {choice(undefined, 'All', rows.length)}
        {kinds.map((kind) => {
          const count = rows.filter((row) => row.kind === kind).length;
          return count > 0 && choice(kind, kind.slice(0, 1).toUpperCase() + kind.slice(1), count);
        })}
      </div>
    </div>
  );
}
