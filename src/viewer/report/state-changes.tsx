// What the run did to the world: each row that changed, from what it was to what it became, with the steps between.
import { useMemo, useState } from 'preact/hooks';
import type { StateChangeEntry } from '../../contract/world/evidence.js';
import type { PageData } from '../../reports/page-data.js';
import { visibleLine } from '../../text/visible-text.js';
import { ChangeTable, counted } from '../kit/parts.tsx';
import { tuning } from '../tuning.js';

interface ChangedRow {
  first: StateChangeEntry;
  last: StateChangeEntry;
  changes: StateChangeEntry[];
  isCited: boolean;
}

export function StateChanges({ data }: { data: PageData }) {
  const rows = useMemo(() => changedRows(data), [data]);
  const [shown, setShown] = useState(tuning.changedRowsAtOnce);
  const left = (data.kinds.state_change ?? 0) - rows.reduce((sum, row) => sum + row.changes.length, 0);
  return (
    <>
      <p class="quiet">
        {counted(rows.length, 'row')} changed{left > 0 ? `; ${counted(left, 'more change')} not in this page but in evidence.jsonl` : ''}.
      </p>
      <div class="changed-rows">
        {rows.slice(0, shown).map((row) => (
          <RowCard key={row.first.sequence} {...row} />
        ))}
      </div>
      {shown < rows.length && (
        <button type="button" class="more" onClick={() => setShown((count) => count + tuning.changedRowsAtOnce)}>
          Show more
        </button>
      )}
    </>
  );
}

/** By row, those that failed assertions cite first, then in order of their first change. */
function changedRows({ entries, failing }: PageData): ChangedRow[] {
  const byRow = new Map<string, ChangedRow>();
  for (const entry of entries) {
    if (entry.kind !== 'state_change') continue;
    const key = JSON.stringify([entry.packageId, entry.instanceId, entry.namespace, entry.rowId]);
    const isCited = failing[entry.sequence] !== undefined;
    const known = byRow.get(key);
    if (known === undefined) byRow.set(key, { first: entry, last: entry, changes: [entry], isCited });
    else {
      known.changes.push(entry);
      known.last = entry;
      known.isCited ||= isCited;
    }
  }
  return [...byRow.values()].sort((left, right) => Number(right.isCited) - Number(left.isCited));
}

function RowCard({ first, last, changes, isCited }: ChangedRow) {
  const owner = first.instanceId === first.packageId ? first.packageId : `${first.packageId}@${first.instanceId}`;
  const net = first.before === null ? 'insert' : last.after === null ? 'delete' : 'update';
  const words =
    first.before === null && last.after === null
      ? 'inserted and deleted'
      : { insert: 'inserted', delete: 'deleted', update: 'updated' }[net];
  return (
    <article class={isCited ? 'changed-row cited' : 'changed-row'}>
      <header>
        <h3>
          <span class="quiet">
            {owner} / {first.namespace} /{' '}
          </span>
          {visibleLine(first.rowId)}
        </h3>
        <span class={`change change-${net}`}>{words}</span>
        <span class="sequences">
          {changes.slice(0, tuning.findingLinksMax).map(({ sequence }) => (
            <>
              <Sequence key={sequence} sequence={sequence} />{' '}
            </>
          ))}
          {changes.length > tuning.findingLinksMax && `and ${changes.length - tuning.findingLinksMax} more`}
        </span>
      </header>
      <ChangeTable before={first.before} after={last.after} />
      {changes.length > 1 && (
        <details>
          <summary>{counted(changes.length, 'step')}</summary>
          <ol class="steps">
            {changes.slice(0, tuning.rowStepsMax).map((entry) => (
              <li key={entry.sequence}>
                <Sequence sequence={entry.sequence} />
                <ChangeTable before={entry.before} after={entry.after} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </article>
  );
}

function Sequence({ sequence }: { sequence: number }) {
  return (
    <a class="sequence" href={`#entry-${sequence}`}>
      #{sequence}
    </a>
  );
}
