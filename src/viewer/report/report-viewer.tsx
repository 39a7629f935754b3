// The viewer over the data that the page of a report holds. What it does not fill is plain HTML, and stands without it.
import { render } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type PageData, withVersions } from '../../reports/page-data.js';
import { meaningIn } from '../../reports/story.js';
import { EvidenceBench } from '../evidence-bench.tsx';
import { filterOfQuery } from '../journal-filter.ts';
import { counted } from '../kit/parts.tsx';
import { startContents } from './chrome.tsx';
import { choicesAmong, heldSource } from './held-source.ts';
import { hashOfPlace, placeOfHash } from './report-address.ts';
import { StateChanges } from './state-changes.tsx';

function ReportViewer({ data }: { data: PageData }) {
  const source = useMemo(() => heldSource(data), [data]);
  const cited = useMemo(() => new Map(Object.entries(data.failing).map(([sequence, ids]) => [Number(sequence), ids])), [data]);
  const choices = useMemo(() => choicesAmong(data.entries), [data]);
  const [filter, setFilter] = useState(() => placeOfHash(location.hash)?.filter ?? filterOfQuery({}));
  // As the address says: the page may not hold it.
  const [looked, setLooked] = useState(() => placeOfHash(location.hash)?.sequence);
  const held = useMemo(() => new Set(data.entries.map(({ sequence }) => sequence)), [data]);
  const selected = looked !== undefined && held.has(looked) ? looked : undefined;
  useEffect(() => {
    // A link to an entry leaves the filter as it is.
    const follow = (): void => {
      const place = placeOfHash(location.hash);
      if (place === undefined) return;
      if (place.filter !== undefined) setFilter(place.filter);
      if (place.sequence === undefined) return;
      setLooked(place.sequence);
      document.querySelector<HTMLElement>('.pane')?.focus({ preventScroll: true });
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const hash = hashOfPlace({ sequence: looked, filter });
    history.replaceState(null, '', hash === '' ? location.pathname + location.search : hash);
  }, [looked, filter]);
  useEffect(() => {
    document.body.classList.toggle('with-drawer', selected !== undefined);
  }, [selected]);
  return (
    <>
      {looked !== selected && <NotHeld sequence={looked as number} data={data} />}
      <EvidenceBench
        source={source}
        count={data.total}
        kinds={data.kinds}
        filter={filter}
        onFilter={setFilter}
        choices={choices}
        interactions={data.interactions}
        selected={selected}
        cited={cited}
        brief={data}
        onSelect={setLooked}
        onClose={() => setLooked(undefined)}
        meaningOf={(fault) => meaningIn(data.faultMeanings, fault)}
      >
        {data.entries.length < data.total && (
          <p class="omitted">
            This page holds {counted(data.entries.length, 'entry', 'entries')} of {data.total.toLocaleString('en-US')}: the first ones, what
            assertions cite, tool calls and whatever failed, and the last ones. All of them are in evidence.jsonl beside this file, entry n
            on line n, and in <code>drillyard inspect</code>.
          </p>
        )}
      </EvidenceBench>
    </>
  );
}

/** In sight, and above what is still being drawn: who follows a link to an entry that is not here sees why nothing opened. */
function NotHeld({ sequence, data: { total, runId } }: { sequence: number; data: PageData }) {
  const place = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => place.current?.scrollIntoView({ block: 'center', behavior: 'instant' }), [sequence]);
  return (
    <p class="notice" role="status" ref={place}>
      {sequence >= 1 && sequence <= total ? (
        <>
          Entry #{sequence} is not in this page; see line {sequence} of evidence.jsonl, or{' '}
          <code>
            drillyard show {runId} --journal --at {sequence}
          </code>
          .
        </>
      ) : (
        `There is no entry #${sequence}: the journal has #1 to #${total}.`
      )}
    </p>
  );
}

/** One that fails leaves the plain HTML and the other parts as they are. */
function fill(id: string, content: preact.ComponentChild): void {
  const section = document.getElementById(id);
  const place = section?.querySelector('.filled');
  if (section === null || place === null || place === undefined) return;
  section.hidden = false;
  render(content, place);
}

export function startReport(element: HTMLElement): void {
  const data = withVersions(JSON.parse(element.textContent) as PageData);
  if (data.total > 0) fill('journal', <ReportViewer data={data} />);
  if (data.entries.some(({ kind }) => kind === 'state_change')) fill('state', <StateChanges data={data} />);
  startContents();
}
