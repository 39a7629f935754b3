// Judges: modules of a repository that judge an attempt. What one is asked with.
import type { JsonObject, JsonValue } from '../json.js';
import type { EvidenceEntry } from '../world/evidence.js';
import type { AgentUsage } from './agent-usage.js';
import type { JudgeAnswer } from './judge-answer.js';
import type { InteractionResult } from './run.js';

/** What a judge is shown: the attempt after its last interaction, as plain JSON. */
export interface JudgedRun {
  schemaVersion: 1;
  runId: string;
  drillId: string;
  assertionId: string;
  /** All that took place, in order, as `report.json` has them; what was attached is not there yet. */
  interactions: InteractionResult[];
  /** As `evidence.jsonl` has it, from the first entry of the attempt on: at most 10,000 entries, and 4 MiB of text. */
  journal: EvidenceEntry[];
  /** Further entries that `journal` lacks. */
  journalLeft: number;
  /** The rows that the assertion names in its `state`, by name, then by row id: at most 10,000. */
  state: { [name: string]: { [rowId: string]: JsonObject } };
  /** Virtual microseconds. */
  clock: { startUs: number; nowUs: number };
  /** From the assertion. */
  with: JsonObject;
}
export interface JudgeContext {
  /** Aborted when time is up or the run is cancelled. */
  readonly signal: AbortSignal;
  /** `console` goes there, too. Of a judge that fails, the end of it is kept. */
  log(message: string, fields?: { [name: string]: JsonValue }): void;
  /** What the judge itself used. Kept beside its answer, and not added to what the agent used. */
  usage(used: AgentUsage): void;
}
/** What the module of a `custom` assertion exports. Throwing leaves the assertion undecided. */
export type JudgeModule = (run: JudgedRun, context: JudgeContext) => JudgeAnswer | Promise<JudgeAnswer>;
