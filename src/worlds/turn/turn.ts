// The turn that is being run: who acts, why, when, and what it has left to deliver. One object a world, reused for every turn.
//   TURN-1. Between `begin` and `end` nothing of the turn can be seen from outside; `end` makes its entries one transaction.
//   TURN-2. `rollback` takes back every effect of handlers; what was counted and drawn stays.
// An error that leaves a context call while `isChanging` may have left a change half done: only the end of this incarnation mends it.
import type { JsonObject } from '../../contract/json.js';
import type { ToolThrow } from '../../contract/world/tool-failure.js';
import type { VirtualClock } from '../../scheduler/virtual-clock.js';
import { reserveStack } from '../../tools/stack-reserve.js';
import { mintedId } from '../kv/minted-ids.js';
import type { WorldState } from '../state/world-state.js';
import type { Counters } from './counters.js';
import type { Persona } from './program.js';
import type { Draw, RandomStreams } from './random-streams.js';
import { TurnBudget } from './turn-budget.js';

export interface EventName {
  readonly packageId: string;
  readonly instanceId: string;
  readonly eventId: string;
}
export type TurnSource =
  | { readonly kind: 'operation'; readonly operationId: string; readonly sequence: number }
  | { readonly kind: 'event'; readonly event: EventName; readonly subscriptionId: string };
/** An event emitted in this turn and not delivered yet. */
export interface Emission {
  readonly event: EventName;
  readonly payload: JsonObject;
  readonly payloadText: string;
  /** Of its `emitted` entry. */
  readonly sequence: number;
}
export interface TurnParts {
  storage: WorldState;
  clock: VirtualClock;
  counters: Counters;
  streams: RandomStreams;
  recordRandom: boolean;
  /** Tells a person what no evidence may hold, because engines word it differently. */
  report(text: string): void;
}

/** No scheduled event. */
export const notScheduled = -1;

export class Turn {
  readonly storage: WorldState;
  readonly clock: VirtualClock;
  readonly streams: RandomStreams;
  readonly report: TurnParts['report'];
  readonly recordRandom: boolean;
  readonly budget = new TurnBudget();
  readonly emissions: Emission[] = [];
  /** What handlers threw in this incarnation of the world, the first of each; for people, as evidence holds no words of an engine. */
  readonly throws: ToolThrow[] = [];
  persona: Persona | undefined;
  source: TurnSource | undefined;
  scheduledOrdinal = notScheduled;
  isChanging = false;
  /** Counts turns of this incarnation: a behavior may be evaluated again for each. */
  serial = 0;
  readonly #counters: Counters;
  readonly #draws: Draw[] = [];
  readonly #stamp = { virtualTimeUs: 0, correlationOrdinal: 0 };

  constructor({ storage, clock, counters, streams, recordRandom, report }: TurnParts) {
    this.storage = storage;
    this.clock = clock;
    this.streams = streams;
    this.report = report;
    this.recordRandom = recordRandom;
    this.#counters = counters;
    if (recordRandom) streams.onDraw = (draw) => this.#record(draw);
  }

  /** Each command has its own correlation, named by the first transaction it may make. */
  get nextCorrelation(): number {
    return this.storage.journal.transactions + 1;
  }
  get correlationId(): string {
    return mintedId('corr_', this.storage.tag, this.#stamp.correlationOrdinal);
  }

  begin(persona: Persona | undefined, correlationOrdinal = this.nextCorrelation): void {
    this.storage.beginTurn();
    this.budget.begin();
    this.isChanging = false;
    this.serial++;
    this.persona = persona;
    this.source = undefined;
    this.scheduledOrdinal = notScheduled;
    this.#stamp.virtualTimeUs = this.clock.nowUs;
    this.#stamp.correlationOrdinal = correlationOrdinal;
    if (this.emissions.length > 0) this.emissions.length = 0;
    if (this.#draws.length > 0) this.#draws.length = 0;
  }

  /** A context call begins. Throws ContextRefusal when there have been too many, RangeError when the stack is nearly full. */
  enterCall(): void {
    this.budget.spendCalls(1);
    reserveStack();
  }

  rollback(): void {
    this.storage.rollbackEffects();
    this.emissions.length = 0;
  }
  /** After a rollback: the draws happened all the same. */
  recordDrawsAgain(causeSequence: number): void {
    this.storage.journal.causeSequence = causeSequence;
    for (const draw of this.#draws) this.#draft(draw);
  }

  end(): void {
    const { storage } = this;
    storage.endTurn(this.#stamp, storage.journal.turnHasEntries ? this.#counters.takeChanges() : undefined);
  }

  #record(draw: Draw): void {
    this.#draws.push(draw);
    this.#draft(draw);
  }
  #draft(draw: Draw): void {
    const { journal } = this.storage;
    journal.draft(
      journal.causeSequence === 0 ? { kind: 'random', ...draw } : { kind: 'random', ...draw, causeSequence: journal.causeSequence },
    );
  }
}
