// The synthetic state right after an entry, and a scrubber through time: every row as it was at that moment.
import { useEffect, useState } from 'preact/hooks';
import type { InspectorNamespacesReply, InspectorStateReply } from '../contract/inspector/journal.js';
import type { NamespaceView } from '../contract/world/world-protocol.js';
import type { EvidenceSource } from './evidence-source.ts';
import { Await, Empty, Failure, useLoad } from './kit/loading.tsx';
import { counted } from './kit/parts.tsx';
import { StateTable } from './state-table.tsx';
import { tuning } from './tuning.js';

export interface StateAtProps {
  source: EvidenceSource;
  sequence: number;
  last: number;
  onSelect: (sequence: number) => void;
}

interface NamespacesProps extends Omit<StateAtProps, 'last'> {
  reply: InspectorNamespacesReply;
  chosen: string;
  onChoose: (name: string) => void;
}

export function StateAt({ source, sequence, last, onSelect }: StateAtProps) {
  // Where the scrubber was moved to, until the page has gone there. A move by another way is not taken back.
  const [moved, setMoved] = useState<number | undefined>();
  const moment = moved ?? sequence;
  const [chosen, setChosen] = useState('');
  const turn = useLoad(`turn ${source.id} ${sequence}`, () => turnOf(source, sequence), { keep: true });
  // Opened on what changed something, it begins there, and stays there while one moves through time.
  const touched = turn.value?.touched ?? '';
  const isSettled = turn.value !== undefined || turn.error !== undefined;
  useEffect(() => setMoved(undefined), [sequence]);
  useEffect(() => {
    if (moved === undefined || moved === sequence) return;
    const timer = setTimeout(() => onSelect(moved), tuning.scrubberRestMs);
    return () => clearTimeout(timer);
  }, [moved, sequence, onSelect]);
  const namespaces = useLoad(`namespaces ${source.id} ${sequence}`, () => source.namespaces(sequence), { keep: true });
  return (
    <div class="pane-body state-at" data-place="state">
      <label class="scrubber">
        <span>
          State right after <strong>#{moment}</strong> of {last.toLocaleString('en-US')}
        </span>
        <input
          type="range"
          min={1}
          max={Math.max(last, 1)}
          value={moment}
          onInput={(event) => setMoved(event.currentTarget.valueAsNumber)}
        />
      </label>
      {turn.value !== undefined && turn.value.last > turn.value.first && (
        <div class="switch" role="group" aria-label="Around this turn">
          <button type="button" aria-pressed={sequence === turn.value.first} onClick={() => onSelect(turn.value!.first)}>
            Before its changes
          </button>
          <button type="button" aria-pressed={sequence === turn.value.last} onClick={() => onSelect(turn.value!.last)}>
            After them
          </button>
        </div>
      )}
      <Await of={isSettled ? namespaces : { reload: namespaces.reload }} what="the state">
        {(reply) => (
          <Namespaces
            source={source}
            reply={reply}
            sequence={sequence}
            onSelect={onSelect}
            chosen={chosen || touched}
            onChoose={setChosen}
          />
        )}
      </Await>
    </div>
  );
}

/** Every row as it was, without a way through time. */
export function RowsAt({ source, sequence, onSelect }: Omit<StateAtProps, 'last'>) {
  const [chosen, setChosen] = useState('');
  const namespaces = useLoad(`namespaces ${source.id} ${sequence}`, () => source.namespaces(sequence), { keep: true });
  return (
    <div class="rows-at">
      <Await of={namespaces} what="the rows">
        {(reply) => (
          <Namespaces source={source} reply={reply} sequence={sequence} onSelect={onSelect} chosen={chosen} onChoose={setChosen} />
        )}
      </Await>
    </div>
  );
}

interface Turn {
  first: number;
  last: number;
  /** The namespace that the entry changed, or its transaction first; '' where there is none. */
  touched: string;
}

/** The transaction that an entry belongs to. */
async function turnOf(source: EvidenceSource, sequence: number): Promise<Turn | undefined> {
  const entry = await source.journal.entry(sequence);
  if (entry === undefined) return undefined;
  const first = sequence - entry.transactionIndex;
  const last = first + entry.transactionSize - 1;
  const changes = (await source.journal.range(first, last)).filter(({ kind }) => kind === 'state_change');
  const change = changes.find((one) => one.sequence === sequence) ?? changes[0];
  return { first, last, touched: change?.kind === 'state_change' ? nameOf(change) : '' };
}

const nameOf = (space: Pick<NamespaceView, 'packageId' | 'instanceId' | 'namespace'>): string =>
  `${space.instanceId === space.packageId ? space.packageId : `${space.packageId}@${space.instanceId}`}/${space.namespace}`;

function Namespaces({ source, reply, sequence, onSelect, chosen, onChoose }: NamespacesProps) {
  const named = (name: string): NamespaceView | undefined => reply.namespaces.find((one) => nameOf(one) === name);
  const space = named(chosen) ?? reply.namespaces.find((one) => one.rowCount > 0) ?? reply.namespaces[0];
  if (space === undefined) return <Empty title="No state">The tools of this world keep no rows.</Empty>;
  return (
    <>
      <label class="field">
        Namespace
        <select value={nameOf(space)} onChange={(event) => onChoose(event.currentTarget.value)}>
          {reply.namespaces.map((one) => (
            <option key={nameOf(one)} value={nameOf(one)}>
              {nameOf(one)} ({one.rowCount.toLocaleString('en-US')})
            </option>
          ))}
        </select>
      </label>
      <Rows source={source} space={space} sequence={sequence} onSelect={onSelect} />
    </>
  );
}

function Rows({ source, space, sequence, onSelect }: Omit<StateAtProps, 'last'> & { space: NamespaceView }) {
  const { packageId, instanceId, namespace } = space;
  const [find, setFind] = useState('');
  const asked = useRested(find.trim());
  const key = `state ${source.id} ${nameOf(space)} ${sequence} ${asked}`;
  const query = {
    packageId,
    instanceId,
    namespace,
    atSequence: sequence,
    limit: tuning.stateRowsAPage,
    ...(asked === '' ? {} : { find: asked }),
  };
  const first = useLoad(key, async () => ({ of: key, page: await source.state(query) }), { keep: true });
  const more = useMorePages(key, (afterRowId) => source.state({ ...query, afterRowId }));
  return (
    <>
      <label class="field">
        Find a row
        <input
          type="search"
          placeholder="Its id begins with…"
          spellcheck={false}
          value={find}
          onInput={(event) => setFind(event.currentTarget.value)}
        />
      </label>
      <Await of={first} what="rows" lines={4}>
        {({ of, page }) => {
          // What is kept of another moment stands alone until the rows of this one come.
          const isNow = of === key;
          const pages = [page, ...(isNow ? more.pages : [])];
          const rows = pages.flatMap((reply) => reply.rows);
          const next = pages.at(-1)?.nextAfterRowId;
          if (rows.length === 0)
            return <p class="quiet">{asked === '' ? 'No rows at this moment.' : 'No row has such an id at this moment.'}</p>;
          return (
            <>
              <StateTable
                source={source}
                space={space}
                rows={rows}
                members={source.membersOf?.(space) ?? noMembers}
                sequence={sequence}
                onSelect={onSelect}
              />
              {next !== undefined && isNow && more.error !== undefined && (
                <Failure error={more.error} what="more rows" retry={() => more.load(next)} />
              )}
              {next !== undefined && (!isNow || more.error === undefined) && (
                <button type="button" disabled={!isNow || more.isAsking} onClick={() => more.load(next)}>
                  More rows (of {counted(space.rowCount, 'row')})
                </button>
              )}
            </>
          );
        }}
      </Await>
    </>
  );
}

const noMembers: readonly string[] = [];

interface MorePages {
  key: string;
  pages: readonly InspectorStateReply[];
  isAsking: boolean;
  error?: Error;
}

/** The pages after the first one of a question. What arrives when another is asked belongs to no row that is shown, and is left. */
function useMorePages(key: string, ask: (afterRowId: string) => Promise<InspectorStateReply>) {
  const [latest, setLatest] = useState<MorePages>({ key, pages: [], isAsking: false });
  const now: MorePages = latest.key === key ? latest : { key, pages: [], isAsking: false };
  const load = (afterRowId: string): void => {
    const asked: MorePages = { key, pages: now.pages, isAsking: true };
    const settle = (outcome: Partial<MorePages>): void =>
      setLatest((held) => (held === asked ? { ...asked, isAsking: false, ...outcome } : held));
    setLatest(asked);
    ask(afterRowId).then(
      (page) => settle({ pages: [...asked.pages, page] }),
      (error: Error) => settle({ error }),
    );
  };
  return { ...now, load };
}

/** What somebody types, once it rests. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), tuning.typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
