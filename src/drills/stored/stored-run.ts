// One stored run to look into: its report as it was sealed, its journal, its rows at any entry, and what two moments differ in.
//   STORED-RUN-1. Rows come from the report alone (rebuilt-rows.ts): the world need not be kept.
import { ServiceError } from '../../contract/errors.js';
import type { JsonObject } from '../../contract/json.js';
import { type OptionShapes, optionShapes, requireOptions } from '../../contract/known-options.js';
import { limits } from '../../contract/limits.js';
import type { RunReport } from '../../contract/run/run-events.js';
import type { EvidenceEntry, StateChangeEntry } from '../../contract/world/evidence.js';
import { FolderReader } from '../../reports/folder-reader.js';
import { evidenceFile, reportFile } from '../../reports/report-folder.js';
import { oneReportPath } from '../../reports/report-path.js';
import { verifyReport } from '../../reports/verify-report.js';
import { RowsUnknown } from '../judge/finding.js';
import { entriesIn, wholeLines } from './journal-text.js';
import { requireEntry } from './next-call.js';
import { RebuiltRows } from './rebuilt-rows.js';
import { notSealed } from './verified-report.js';

export interface RowOfRun {
  packageId: string;
  instanceId: string;
  namespace: string;
  rowId: string;
}
export interface RowAt extends RowOfRun {
  /** Right after this entry. */
  atSequence: number;
  /** null: there is no such row then. */
  value: JsonObject | null;
  /** Every change of the row in the whole run, in order. */
  changes: Pick<StateChangeEntry, 'sequence' | 'change'>[];
}
export interface RowDifference extends RowOfRun {
  before: JsonObject | null;
  after: JsonObject | null;
}

export interface OpenStoredRunOptions {
  root: string;
  run: string;
}
const shapes: OptionShapes<OpenStoredRunOptions> = { root: optionShapes.root, run: { required: 'text' } };

/** Rejects with control.NOT_FOUND where there is no such report, control.INVALID_REQUEST for one that was changed. */
export async function openStoredRun(options: OpenStoredRunOptions): Promise<StoredRun> {
  requireOptions('openStoredRun', options, shapes);
  const { root, run: named } = options;
  const folder = oneReportPath(named, root);
  const { ok, problems } = await verifyReport(folder);
  if (!ok) throw notSealed(folder, problems);
  const text = await new FolderReader(folder).text(reportFile, limits.reportDocumentBytesMax);
  return new StoredRun(folder, JSON.parse(text ?? '') as RunReport);
}

export class StoredRun {
  readonly folder: string;
  readonly report: RunReport;

  constructor(folder: string, report: RunReport) {
    this.folder = folder;
    this.report = report;
  }

  /** Of the journal. */
  get toSequence(): number {
    return this.report.result.evidenceRange.toSequence;
  }

  entries(): AsyncGenerator<EvidenceEntry> {
    return entriesIn(wholeLines(new FolderReader(this.folder).pieces(evidenceFile)));
  }

  async *entriesFrom(sequence: number): AsyncGenerator<EvidenceEntry> {
    for await (const entry of this.entries()) if (entry.sequence >= sequence) yield entry;
  }

  /**
   * `package/namespace/row`, `package@instance/namespace/row`, or `namespace/row` where one package has such a namespace. Default: at the
   * end. control.INVALID_REQUEST where the name says nothing, or the rows cannot be rebuilt.
   */
  async row(name: string, { atSequence = this.toSequence }: { atSequence?: number } = {}): Promise<RowAt> {
    requireEntry(this, atSequence);
    const rows = new RebuiltRows(this.#start);
    const changes = new Map<string, StateChangeEntry[]>();
    const candidates = candidatesOf(name);
    const spaces = new Map(
      this.#start.map(({ packageId, instanceId = packageId, namespace }) => [spaceKey(packageId, instanceId, namespace), true]),
    );
    let found: { row: RowOfRun; value: JsonObject | null } | undefined;
    const look = async (): Promise<void> => {
      const row = chosen(name, candidates, [...spaces.keys()]);
      if (row !== undefined) found = { row, value: await known(() => rows.view().row(row, row.rowId)) };
    };
    for await (const entry of this.entries()) {
      if (entry.kind === 'state_change') {
        spaces.set(spaceKey(entry.packageId, entry.instanceId, entry.namespace), true);
        const key = rowKey(entry);
        changes.set(key, [...(changes.get(key) ?? []), entry]);
      }
      if (entry.sequence <= atSequence) rows.apply(entry);
      if (entry.sequence === atSequence) await look();
    }
    const row = found?.row ?? chosen(name, candidates, [...spaces.keys()]);
    if (row === undefined) throw unknownSpace(name, [...spaces.keys()]);
    const all = changes.get(rowKey(row)) ?? [];
    return { ...row, atSequence, value: found?.value ?? null, changes: all.map(({ sequence, change }) => ({ sequence, change })) };
  }

  /** Rows that are others right after `to` than right after `from`, in the order in which they first changed. */
  async diff(from: number, to: number): Promise<RowDifference[]> {
    requireEntry(this, from);
    requireEntry(this, to);
    const [low, high] = from <= to ? [from, to] : [to, from];
    const rows = new Map<string, RowDifference>();
    for await (const entry of this.entries()) {
      if (entry.sequence > high) break;
      if (entry.kind === 'lifecycle' && entry.phase === 'world_reset' && entry.sequence > low)
        throw refused(`The world was reset at entry ${entry.sequence}, which says nothing of single rows.`);
      if (entry.kind !== 'state_change' || entry.sequence <= low) continue;
      const { packageId, instanceId, namespace, rowId, before, after } = entry;
      const row = rows.get(rowKey(entry)) ?? { packageId, instanceId, namespace, rowId, before, after };
      rows.set(rowKey(entry), { ...row, after });
    }
    const changed = [...rows.values()].filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
    return from <= to ? changed : changed.map(({ before, after, ...row }) => ({ ...row, before: after, after: before }));
  }

  get #start() {
    return this.report.result.setup.setup.scenario.state;
  }
}

function spaceKey(packageId: string, instanceId: string, namespace: string): string {
  return JSON.stringify([packageId, instanceId, namespace]);
}
function rowKey({ packageId, instanceId, namespace, rowId }: RowOfRun): string {
  return JSON.stringify([packageId, instanceId, namespace, rowId]);
}

/** What the name may mean: an id of a row may have slashes in it, and the package may be left out. */
function candidatesOf(name: string): { owner?: string; namespace: string; rowId: string }[] {
  const [first = '', second, ...rest] = name.split('/');
  if (second === undefined) return [];
  const short = { namespace: first, rowId: [second, ...rest].join('/') };
  return rest.length === 0 ? [short] : [{ owner: first, namespace: second, rowId: rest.join('/') }, short];
}

function chosen(name: string, candidates: ReturnType<typeof candidatesOf>, spaces: readonly string[]): RowOfRun | undefined {
  for (const { owner, namespace, rowId } of candidates) {
    const fitting = spaces
      .map((key) => JSON.parse(key) as [string, string, string])
      .filter(
        ([packageId, instanceId, known]) =>
          known === namespace && (owner === undefined || ownerNames(packageId, instanceId).includes(owner)),
      );
    if (fitting.length > 1) {
      const full = fitting.map(([packageId, instanceId]) => `${ownerNames(packageId, instanceId)[0]}/${namespace}/${rowId}`);
      throw refused(`"${name}" can be a row of several packages: ${full.join(', ')}.`);
    }
    const [space] = fitting;
    if (space !== undefined) return { packageId: space[0], instanceId: space[1], namespace, rowId };
  }
  return undefined;
}

/** The first is how it is shown. */
function ownerNames(packageId: string, instanceId: string): string[] {
  return instanceId === packageId ? [packageId, `${packageId}@${instanceId}`] : [`${packageId}@${instanceId}`];
}

function unknownSpace(name: string, spaces: readonly string[]): ServiceError {
  const names = spaces.map((key) => {
    const [packageId, instanceId, namespace] = JSON.parse(key) as [string, string, string];
    return `${ownerNames(packageId, instanceId)[0]}/${namespace}`;
  });
  const all = names.length === 0 ? 'The run has no rows.' : `It has ${names.join(', ')}.`;
  return refused(`The run has no rows where "${name}" says: a row is named package/namespace/row. ${all}`);
}

async function known<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RowsUnknown) throw refused(error.message);
    throw error;
  }
}

const refused = (message: string): ServiceError => new ServiceError('control.INVALID_REQUEST', { message });
