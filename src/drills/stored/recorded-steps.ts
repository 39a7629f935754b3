// What was asked of a world, read back from its journal: calls, waits, moves of the clock, switches of faults, in order.
//   RECORDED-STEPS-1. A step is one command: entries that follow each other with one correlation. A command that stood still while
//     callbacks were delivered is as many steps as it has stretches; in each, time goes as far and fires as many events as it did then.
//   RECORDED-STEPS-2. What a journal does not hold enough of to be asked again is a step too, and never left out in silence.
import { defined } from '../../contract/defined.js';
import type { JsonObject } from '../../contract/json.js';
import type { OutcomeError } from '../../contract/outcome-error.js';
import type { EvidenceEntry, FaultControlEntry, OperationEntry } from '../../contract/world/evidence.js';
import { waitTarget } from '../../worlds/turn/grants.js';

export type RecordedStep =
  | { kind: 'call'; entry: OperationEntry }
  /** `untilUs` where it did not go to the next event. */
  | { kind: 'wait'; entry: OperationEntry; untilUs?: number }
  /** `events`: how many fired, where others may have been due at that time and waited. `failure`: of the event that ended it. */
  | { kind: 'advance'; sequence: number; targetUs: number; events?: number; failure?: OutcomeError }
  | { kind: 'fault'; entry: FaultControlEntry }
  | { kind: 'unrepeatable'; sequence: number; what: string };

export async function* recordedSteps(entries: AsyncIterable<EvidenceEntry>): AsyncGenerator<RecordedStep> {
  let stretch: Stretch | undefined;
  let isDelivered = false;
  for await (const entry of entries) {
    if (stretch !== undefined && stretch.correlationId !== entry.correlationId) {
      const step = stretch.step(isDelivered);
      if (step !== undefined) yield step;
      stretch = undefined;
    }
    isDelivered ||= entry.kind === 'callback' && entry.phase === 'attempt_started';
    stretch ??= new Stretch(entry);
    stretch.take(entry);
  }
  const last = stretch?.step(isDelivered);
  if (last !== undefined) yield last;
}

/** Entries of one correlation, of which only what tells the command is kept. */
class Stretch {
  readonly correlationId: string;
  readonly #sequence: number;
  #operation: OperationEntry | undefined;
  #fault: FaultControlEntry | undefined;
  /** As far as time went. */
  #targetUs: number | undefined;
  #events = 0;
  /** Everything that was due has fired. */
  #isWhole = false;
  #failure: OutcomeError | undefined;
  #unrepeatable: string | undefined;

  constructor({ correlationId, sequence }: EvidenceEntry) {
    this.correlationId = correlationId;
    this.#sequence = sequence;
  }

  take(entry: EvidenceEntry): void {
    switch (entry.kind) {
      case 'operation':
        this.#operation = entry;
        break;
      case 'fault_control':
        this.#fault = entry;
        break;
      case 'clock':
        if (entry.reason === 'explicit' || entry.reason === 'scheduled_work') this.#targetUs = entry.toUs;
        this.#isWhole ||= entry.reason === 'explicit';
        break;
      case 'lifecycle':
        if (entry.phase === 'world_forked') this.#unrepeatable = 'the world is a fork, which begins in the journal of its parent';
        if (entry.phase === 'world_reset') this.#unrepeatable = 'the world was reset';
        break;
      case 'event':
        if (entry.transactionIndex > 0 || this.#operation !== undefined) break;
        if (entry.phase === 'handled' || entry.phase === 'failed') {
          this.#targetUs = entry.virtualTimeUs;
          this.#events += 1;
        } else this.#unrepeatable = `an event was ${entry.phase} by who held the world`;
        this.#failure = entry.error;
        break;
      default:
    }
  }

  /** Undefined for what only looked on: checkpoints, snapshots, deliveries, the making and closing of the world. */
  step(isDelivered: boolean): RecordedStep | undefined {
    const sequence = this.#sequence;
    if (this.#operation !== undefined) return asked(this.#operation, isDelivered);
    if (this.#fault !== undefined) return { kind: 'fault', entry: this.#fault };
    if (this.#unrepeatable !== undefined) return { kind: 'unrepeatable', sequence, what: this.#unrepeatable };
    if (this.#targetUs === undefined) return undefined;
    const events = this.#isWhole ? undefined : this.#events;
    return { kind: 'advance', sequence, targetUs: this.#targetUs, ...defined({ events, failure: this.#failure }) };
  }
}

/** Callbacks are not delivered again, so a wait that may have ended with one goes to where it went. */
function asked(entry: OperationEntry, isDelivered: boolean): RecordedStep {
  const { invocation, outcome } = entry;
  if (invocation.packageId !== waitTarget.packageId) return { kind: 'call', entry };
  const { untilUs } = invocation.arguments as { untilUs?: number };
  if (untilUs !== undefined || !isDelivered || outcome.kind !== 'ok') return { kind: 'wait', entry, ...defined({ untilUs }) };
  return { kind: 'wait', entry, untilUs: (outcome.value as JsonObject).virtualTimeUs as number };
}
