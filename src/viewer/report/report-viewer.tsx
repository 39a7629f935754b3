// The viewer over the data that the page of a report holds. What it does not fill is plain HTML, and stands without it.
import { render } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type PageData, withVersions } from '../../reports/page-data.js';
import { meaningIn } from '../../reports/story.js';
import { EvidenceBench } from '../evidence-bench.tsx';
import { filterOfQuery } from '../journal-filter.ts';
import { counted } from '../kit/parts.tsx';
import { startContents } from './chrome.tsx';
import { choicesAmong, heldSource } from './held-source.ts';
import { type AddressedPlace, hashOfPlace, placeOfHash } from './report-address.ts';
import { StateChanges } from './state-changes.tsx';

/** Undefined too for an entry that the page does not hold. */
function heldSequence(place: AddressedPlace | undefined, data: PageData): number | undefined {
  return data.entries.some(({ sequence }) => sequence === place?.sequence) ? place?.sequence : undefined;
}

function ReportViewer({ data }: { data: PageData }) {
  const source = useMemo(() => heldSource(data), [data]);
  const cited = useMemo(() => new Map(Object.entries(data.failing).map(([sequence, ids]) => [Number(sequence), ids])), [data]);
  const choices = useMemo(() => choicesAmong(data.entries), [data]);
  const [filter, setFilter] = useState(() => placeOfHash(location.hash)?.filter ?? filterOfQuery({}));
  const [selected, setSelected] = useState(() => heldSequence(placeOfHash(location.hash), data));
  useEffect(() => {
    // A link to an entry leaves the filter as it is.
    const follow = (): void => {
      const place = placeOfHash(location.hash);
      if (place === undefined) return;
      if (place.filter !== undefined) setFilter(place.filter);
      const sequence = heldSequence(place, data);
      if (sequence === undefined) return;
      setSelected(sequence);
      document.querySelector<HTMLElement>('.pane')?.focus({ preventScroll: true });
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [data]);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const hash = hashOfPlace({ sequence: selected, filter });
    history.replaceState(null, '', hash === '' ? location.pathname + location.search : hash);
  }, [selected, filter]);
  useEffect(() => {
    document.body.classList.toggle('with-drawer', selected !== undefined);
  }, [selected]);
  return (
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
      onSelect={setSelected}
      onClose={() => setSelected(undefined)}
      meaningOf={(fault) => meaningIn(data.faultMeanings, fault)}
    >
      {data.entries.length < data.total && (
        <p class="omitted">
          This page holds {counted(data.entries.length, 'entry', 'entries')} of {data.total.toLocaleString('en-US')}: the first ones, what
          assertions cite, tool calls and whatever failed, and the last ones. All of them are in evidence.jsonl beside this file, entry n on
          line n, and in <code>drillyard inspect</code>.
        </p>
      )}
    </EvidenceBench>
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
