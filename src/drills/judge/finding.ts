// What a check has found out so far, and the two kinds of checks the judge feeds.
import { defined } from '../../contract/defined.js';
import type { JsonObject } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { AssertionLocation, AssertionResult, InteractionResult, JudgeRecord } from '../../contract/run/run.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import type { ExpressionJudge } from './evaluate-expression.js';
import type { ModuleJudge } from './module-judge.js';

type Shown = 'status' | 'message' | 'expected' | 'actual' | 'location' | 'diff' | 'evidenceSequences' | 'judged';
export interface Finding extends Pick<AssertionResult, Shown> {
  /** No further evidence could change the status: such a finding stands even when the run was cut short. */
  settled: boolean;
}

/** Folds the journal: sees every entry once, in order, and may be asked at any time. Pure. */
export interface Check {
  observe(entry: EvidenceEntry): void;
  finding(): Finding;
}
/** Also reads the run as it is at the moment it is asked. */
export interface ViewCheck {
  observe(entry: EvidenceEntry): void;
  /** `cutShort`: why the run ended before its time. */
  finding(view: RunView, cutShort?: string): Promise<Finding>;
}

/** Where a run began. */
export interface RunStart {
  startUs: number;
  /** Default: this thread. */
  judgeExpression?: ExpressionJudge;
  /** Default: modules are not asked. */
  judgeModule?: ModuleJudge;
  /** Of a run that is judged again, by assertion: what modules said then. They are not asked. */
  judged?: ReadonlyMap<string, JudgeRecord>;
}
/** What is not in the journal. */
export interface RunView extends StateView {
  /** Those that have ended, in order. */
  readonly interactions: readonly InteractionResult[];
}
/** Read-only rows of the world, each read at most once a checkpoint. */
export interface StateView {
  row(space: WorldSpace, rowId: string): Promise<JsonObject | null>;
  /** Calls back for every row of the space, in order of rowId. */
  eachRow(space: WorldSpace, callback: (row: { rowId: string; value: JsonObject }) => void): Promise<void>;
}
/** Rejects a read of rows that nobody has: what it was asked for is then not decided. */
export class RowsUnknown extends Error {}
export interface WorldSpace {
  packageId: string;
  instanceId: string;
  namespace: string;
}

/** An assertion that cannot be asked at all. */
export function invalidFinding(message: string, location?: AssertionLocation): Finding {
  return { status: 'invalid', settled: true, message, ...defined({ location }), evidenceSequences: [] };
}

/** Sequences worth citing: the first ones, bounded. */
export class Citations {
  readonly sequences: number[] = [];

  add(sequence: number): void {
    if (this.sequences.length < limits.citedSequencesMax) this.sequences.push(sequence);
  }
}
