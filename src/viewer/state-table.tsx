// Rows of one namespace as a table: the members that its schema names as columns, those changed just now marked, each row to be opened.
import { useState } from 'preact/hooks';
import type { StateRow } from '../contract/inspector/journal.js';
import type { JsonValue } from '../contract/json.js';
import type { StateChangeEntry } from '../contract/world/evidence.js';
import type { NamespaceView } from '../contract/world/world-protocol.js';
import { virtualClock } from '../text/virtual-time.js';
import { visibleLine } from '../text/visible-text.js';
import type { EvidenceSource } from './evidence-source.ts';
import { Await, useLoad } from './kit/loading.tsx';
import { ChangeTable, Json, Scroll, Short } from './kit/parts.tsx';
import { tuning } from './tuning.js';

export type StateSpace = Pick<NamespaceView, 'packageId' | 'instanceId' | 'namespace'>;
export interface StateTableProps {
  source: EvidenceSource;
  space: StateSpace;
  rows: readonly StateRow[];
  /** Of the schema, in its order. */
  members: readonly string[];
  sequence: number;
  onSelect: (sequence: number) => void;
}

export function StateTable({ source, space, rows, members, sequence, onSelect }: StateTableProps) {
  const [opened, setOpened] = useState<string | undefined>();
  const columns = columnsOf(rows, members);
  return (
    <Scroll label={`Rows of ${space.namespace}`}>
      <table class="state-table">
        <thead>
          <tr>
            <th scope="col">Row</th>
            <th scope="col">Changed</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {visibleLine(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const isOpen = opened === row.rowId;
            return [
              <tr key={row.rowId} class={row.changedBySequence === sequence ? 'fresh' : undefined}>
                <th scope="row">
                  <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpened(isOpen ? undefined : row.rowId)}>
                    {visibleLine(row.rowId)}
                  </button>
                </th>
                <td>
                  <ChangedBy by={row.changedBySequence} now={sequence} onSelect={onSelect} />
                </td>
                {columns.map((name) => (
                  <td key={name} class={typeof row.value[name] === 'number' ? 'number-cell' : undefined}>
                    {row.value[name] === undefined ? '' : <Short value={row.value[name]} max={tuning.cellChars} />}
                  </td>
                ))}
              </tr>,
              isOpen && (
                <tr key={`${row.rowId} opened`} class="opened">
                  <td colSpan={columns.length + 2}>
                    <RowHistory source={source} space={space} rowId={row.rowId} now={sequence} onSelect={onSelect} />
                    <Json value={row.value} label={`Row ${visibleLine(row.rowId)}`} />
                  </td>
                </tr>
              ),
            ];
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Those of the schema and of the rows; not the one that repeats the row's id. */
function columnsOf(rows: readonly StateRow[], members: readonly string[]): string[] {
  const present = new Set(rows.flatMap(({ value }) => Object.keys(value)));
  const names = [...new Set([...members.filter((name) => present.has(name)), ...present])];
  return names.filter((name) => rows.some(({ rowId, value }) => value[name] !== rowId));
}

function ChangedBy({ by, now, onSelect }: { by: number | undefined; now: number; onSelect: (sequence: number) => void }) {
  if (by === undefined) return <span class="quiet">at the start</span>;
  return (
    <button type="button" class="link changed-by" onClick={() => onSelect(by)} title={`Changed by entry ${by}`}>
      {by === now ? 'just now' : `#${by}`}
    </button>
  );
}

interface RowHistoryProps {
  source: EvidenceSource;
  space: StateSpace;
  rowId: string;
  now: number;
  onSelect: (sequence: number) => void;
}

/** Every change of the row through the run, with what it changed. */
function RowHistory({ source, space, rowId, now, onSelect }: RowHistoryProps) {
  const { packageId, instanceId, namespace } = space;
  const history = useLoad(`row history ${source.id} ${JSON.stringify(space)} ${rowId} ${now}`, async () => {
    const { changes, total } = await source.rowChanges({ packageId, instanceId, namespace, rowId });
    const shown = changes.slice(-tuning.rowChangesShown).map(({ sequence }) => sequence);
    return { entries: (await source.entriesAt(shown)) as StateChangeEntry[], total };
  });
  return (
    <section class="row-history" aria-label={`History of ${visibleLine(rowId)}`}>
      <h3 class="h4">History</h3>
      <Await of={history} what="the history" lines={2}>
        {({ entries, total }) => (
          <>
            {total === 0 && <p class="quiet">No entry changed this row.</p>}
            {total > entries.length && (
              <p class="quiet">
                The latest {entries.length} of {total.toLocaleString('en-US')} changes.
              </p>
            )}
            <ol>
              {entries.map((entry) => (
                <li key={entry.sequence} class={entry.sequence > now ? 'later' : undefined}>
                  <p>
                    <button type="button" class="link" onClick={() => onSelect(entry.sequence)}>
                      #{entry.sequence}
                    </button>{' '}
                    {entry.change} <span class="quiet">{virtualClock(entry.virtualTimeUs)}</span>
                  </p>
                  {entry.change === 'update' && <ChangeTable before={entry.before as JsonValue} after={entry.after as JsonValue} />}
                </li>
              ))}
            </ol>
          </>
        )}
      </Await>
    </section>
  );
}
