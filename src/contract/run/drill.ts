// Drills and suites. The short form is one interaction; materializing turns it into the long one.
import type { JsonValue } from '../json.js';
import type { Description, DurationUs, PositiveDurationUs, Slug, Title } from '../primitives.js';
import type { tags } from '../tags.js';
import type { Scenario, ScenarioInput, ToolOverride } from '../world/scenario.js';
import type { Assertion, AssertionInput } from './assertion.js';

type Budget = number & tags.Type<'int64'> & tags.Minimum<0> & tags.Maximum<1000000>;

export interface Task {
  instruction: string & tags.MinLength<1> & tags.MaxLength<65536>;
  input?: JsonValue;
}
export interface Interaction {
  id: Slug;
  /** Virtual microseconds after the drill's start. */
  afterStartUs: DurationUs;
  actorId: Slug;
  actorInstanceId?: Slug;
  task: Task;
}
/** The same task again and again: occurrence k of each actor lies at startAfterUs + k * everyUs. */
export interface Workload {
  id: Slug;
  actorIds: Slug[] & tags.MinItems<1> & tags.MaxItems<1000>;
  task: Task;
  startAfterUs: DurationUs;
  everyUs: PositiveDurationUs;
  occurrences: number & tags.Type<'uint32'> & tags.Minimum<1> & tags.Maximum<10000>;
}
export interface Timeline {
  horizonUs: DurationUs;
  maxToolCalls: Budget;
  maxEvents: Budget;
  stopOnInvariantFailure: boolean;
  stopOnTargetFailure: boolean;
  interactions: Interaction[] & tags.MaxItems<10000>;
  workloads: Workload[] & tags.MaxItems<1000>;
  /** Checked after every interaction and at the end. */
  invariants: Assertion[];
}
export interface Trials {
  count: number & tags.Type<'uint32'> & tags.Minimum<1> & tags.Maximum<10000>;
  classification: 'contract' | 'safety' | 'quality';
  /**
   * The gate over trials; without it every trial must pass. `passHatK`: every k-subset of trials passes, estimated as
   * C(passed,k)/C(count,k) = 1.
   */
  require?: {
    passRate?: number & tags.Minimum<0> & tags.Maximum<1>;
    passHatK?: number & tags.Type<'uint32'> & tags.Minimum<1> & tags.Maximum<10000>;
  };
}
export interface TrialsInput extends Partial<Trials> {}
export type CapturePolicy = 'off' | 'on_failure' | 'always';
export interface CapturePolicies {
  logs: CapturePolicy;
  screenshots: CapturePolicy;
  video: CapturePolicy;
  files: CapturePolicy;
}

export interface CapturePoliciesInput extends Partial<CapturePolicies> {}

/** A drill with every default present and one form: the long one. */
export interface Drill {
  schemaVersion: 1;
  id: Slug;
  title?: Title;
  tags: Slug[];
  targetId: Slug;
  scenarioId?: Slug;
  /** A complete setup, not a layer on the world. */
  inlineScenario?: InlineScenario;
  toolOverrides?: ToolOverride[] & tags.MaxItems<1000>;
  trials: Trials;
  capture: CapturePolicies;
  timeline: Timeline;
  assertions: Assertion[] & tags.MinItems<1>;
  /** Why it does not run. It is checked all the same, and shown as skipped. */
  skip?: Description;
  /** The id that its file gives, of a drill that was made of one of the file's cases. */
  caseOf?: Slug;
}
/** A drill as its file has it, with every default present: one drill, or one a case. */
export interface DrillDefinition extends Omit<Drill, 'caseOf'> {
  cases?: DrillCase[] | DrillCaseFile;
}
/**
 * One of the drills that a file with `cases` stands for; its id is the file's, a hyphen and the case's.
 * @example { id: "tkt-1", values: { ticketId: "T-1", amountCents: 4200 } }
 */
export interface DrillCase {
  /** Its id in the file: a drill `refund` with a case `tkt-1` makes the drill `refund-tkt-1`. `${case.id}` stands for it. */
  id: Slug;
  /** Follows the title of the drill. Default: none. */
  title?: Title;
  /** Why this case does not run, whether its drill is skipped or not. Default: none. */
  skip?: Description;
  /** What stands for `${case.name}` in the texts of the drill, by name. Default: none. */
  values?: { [name: string]: JsonValue };
}
/**
 * Cases that a file of their own lists.
 * @example { file: "cases/tickets.yaml" }
 */
export interface DrillCaseFile {
  /** A YAML, JSON or JSON Lines file of cases, relative to the file of the drill. */
  file: string & tags.MinLength<1> & tags.MaxLength<1024>;
}
/** The part of a drill file that says which drills it stands for. */
export interface DrillCases {
  id: Slug;
  cases: (DrillCase[] & tags.MinItems<1>) | DrillCaseFile;
}
export interface InlineScenario extends Omit<Scenario, 'schemaVersion' | 'id'> {}
export interface InlineScenarioInput extends Omit<ScenarioInput, 'schemaVersion' | 'id'> {}

interface DrillInputCommon {
  schemaVersion: 1;
  id: Slug;
  title?: Title;
  tags?: Slug[];
  targetId: Slug;
  scenarioId?: Slug;
  inlineScenario?: InlineScenarioInput;
  toolOverrides?: ToolOverride[] & tags.MaxItems<1000>;
  trials?: TrialsInput;
  capture?: CapturePoliciesInput;
  assertions: AssertionInput[] & tags.MinItems<1>;
  /** Why the drill does not run; it is checked all the same, and shown as skipped. Default: none. */
  skip?: Description;
  /** At most 256: the drill once for each, with the values of the case in its texts. Default: none. */
  cases?: (DrillCase[] & tags.MinItems<1>) | DrillCaseFile;
}
export interface ShortDrillInput extends DrillInputCommon {
  actorId: Slug;
  actorInstanceId?: Slug;
  task: Task;
}
export interface InteractionInput extends Omit<Interaction, 'afterStartUs'>, Partial<Pick<Interaction, 'afterStartUs'>> {}
export interface WorkloadInput extends Omit<Workload, 'startAfterUs'>, Partial<Pick<Workload, 'startAfterUs'>> {}
export interface TimelineInput extends Partial<Omit<Timeline, 'interactions' | 'workloads' | 'invariants'>> {
  interactions?: InteractionInput[] & tags.MaxItems<10000>;
  workloads?: WorkloadInput[] & tags.MaxItems<1000>;
  invariants?: AssertionInput[];
}
export interface LongDrillInput extends DrillInputCommon {
  timeline: TimelineInput;
}
export type DrillInput = ShortDrillInput | LongDrillInput;

export interface Suite {
  schemaVersion: 1;
  id: Slug;
  title?: Title;
  /** The union of these ids and of the drills that carry one of `tags`; both empty: every drill. */
  drills: Slug[];
  tags: Slug[];
  trials?: number & tags.Type<'uint32'> & tags.Minimum<1> & tags.Maximum<10000>;
  concurrency: number & tags.Type<'uint32'> & tags.Minimum<1> & tags.Maximum<64>;
  retries: number & tags.Type<'uint32'> & tags.Minimum<0> & tags.Maximum<10>;
}
export interface SuiteInput
  extends Omit<Suite, 'drills' | 'tags' | 'concurrency' | 'retries'>,
    Partial<Pick<Suite, 'drills' | 'tags' | 'concurrency' | 'retries'>> {}
