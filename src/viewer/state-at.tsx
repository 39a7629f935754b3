// The synthetic state right after an entry, and a scrubber through time: every row as it was at that moment.
import { useEffect, useState } from 'preact/hooks';
import type { InspectorNamespacesReply, InspectorStateReply, StateRow } from '../contract/inspector/journal.js';
import type { NamespaceView } from '../contract/world/world-protocol.js';
import type { EvidenceSource } from './evidence-source.ts';
import { Await, Empty, useLoad } from './kit/loading.tsx';
import { counted, Json, Short } from './kit/parts.tsx';
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
  const [moment, setMoment] = useState(sequence);
  // Opened on a changed row, it begins there, and stays there while one moves through time.
  const [chosen, setChosen] = useState(() => {
    const entry = source.journal.peek(sequence);
    return entry?.kind === 'state_change' ? nameOf(entry) : '';
  });
  useEffect(() => setMoment(sequence), [sequence]);
  useEffect(() => {
    if (moment === sequence) return;
    const timer = setTimeout(() => onSelect(moment), tuning.scrubberRestMs);
    return () => clearTimeout(timer);
  }, [moment, sequence, onSelect]);
  const namespaces = useLoad(`namespaces ${source.id} ${sequence}`, () => source.namespaces(sequence), { keep: true });
  return (
    <div class="pane-body state-at">
      <label class="scrubber">
        <span>
          State right after <strong>#{moment}</strong> of {last.toLocaleString('en-US')}
        </span>
        <input
          type="range"
          min={1}
          max={Math.max(last, 1)}
          value={moment}
          onInput={(event) => setMoment(event.currentTarget.valueAsNumber)}
        />
      </label>
      <Await of={namespaces} what="the state">
        {(reply) => (
          <Namespaces source={source} reply={reply} sequence={sequence} onSelect={onSelect} chosen={chosen} onChoose={setChosen} />
        )}
      </Await>
    </div>
  );
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
  const [more, setMore] = useState<InspectorStateReply[]>([]);
  const [after, setAfter] = useState<string | undefined>();
  const key = `state ${source.id} ${nameOf(space)} ${sequence}`;
  useEffect(() => {
    setMore([]);
    setAfter(undefined);
  }, [key]);
  const query = { packageId, instanceId, namespace, atSequence: sequence, limit: tuning.stateRowsAPage };
  const first = useLoad(key, () => source.state(query), { keep: true });
  const next = (more.at(-1) ?? first.value)?.nextAfterRowId;
  const loadMore = async (): Promise<void> => {
    if (next === undefined || after === next) return;
    setAfter(next);
    const page = await source.state({ ...query, afterRowId: next });
    setMore((pages) => [...pages, page]);
  };
  return (
    <Await of={first} what="rows" lines={4}>
      {(page) =>
        page.rows.length === 0 ? (
          <p class="quiet">No rows at this moment.</p>
        ) : (
          <>
            <ul class="rows">
              {[page, ...more]
                .flatMap((reply) => reply.rows)
                .map((row) => (
                  <Row key={row.rowId} row={row} now={sequence} onSelect={onSelect} />
                ))}
            </ul>
            {next !== undefined && (
              <button type="button" onClick={loadMore}>
                More rows (of {counted(space.rowCount, 'row')})
              </button>
            )}
          </>
        )
      }
    </Await>
  );
}

function Row({ row, now, onSelect }: { row: StateRow; now: number; onSelect: (sequence: number) => void }) {
  const by = row.changedBySequence;
  return (
    <li class={by === now ? 'state-row fresh' : 'state-row'}>
      <details>
        <summary>
          <code class="row-id">{row.rowId}</code>
          <Short value={row.value} max={90} />
        </summary>
        <Json value={row.value} label={`Row ${row.rowId}`} />
      </details>
      {by !== undefined && (
        <button type="button" class="link changed-by" onClick={() => onSelect(by)} aria-label={`Changed by entry ${by}`}>
          {by === now ? 'just now' : `#${by}`}
        </button>
      )}
    </li>
  );
}
