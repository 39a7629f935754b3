// The parts of one world between its turns, made from what its storage holds; a reset makes new ones.
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { type ActorName, unresolvedPersona } from '../../contract/world/persona.js';
import type { StorageView, WorldBudgets } from '../../contract/world/world-protocol.js';
import { VirtualClock } from '../../scheduler/virtual-clock.js';
import type { WorldState } from '../state/world-state.js';
import { Counters } from './counters.js';
import { EventDispatcher } from './event-dispatch.js';
import { Faults } from './faults.js';
import { Overrides } from './overrides.js';
import type { Persona, Program } from './program.js';
import { RandomStreams } from './random-streams.js';
import { Turn, type TurnParts } from './turn.js';
import type { RunningAdvance, Usage, WorldMeta } from './world-meta.js';

export interface SimulationParts {
  storage: WorldState;
  program: Program;
  meta: WorldMeta;
  /** How its tools run; of a world that is only being made, none does. */
  running?: ToolRunning;
}
export interface ToolRunning {
  /** Modules are evaluated again for every turn. */
  freshModulePerTurn: boolean;
  /** What one world may store; undefined: as much as the disk takes. */
  storedBytesMax?: number | undefined;
  report: TurnParts['report'];
}
/** Of a moment of this world's past or present: what hashing it gave. */
export interface HashedMoment {
  journal: number;
  sequence: number;
  evidenceHash: string;
  stateHash: string;
}
const notRunning: ToolRunning = { freshModulePerTurn: false, report: () => {} };

export class Simulation {
  readonly storage: WorldState;
  readonly program: Program;
  readonly clock: VirtualClock;
  readonly counters: Counters;
  readonly faults: Faults;
  readonly overrides: Overrides;
  readonly turn: Turn;
  readonly dispatcher: EventDispatcher;
  readonly usage: Usage;
  budgets: WorldBudgets;
  isClosed: boolean;
  advance: RunningAdvance | undefined;
  /** One with a key that stands still while callbacks are delivered; agents may wait meanwhile. */
  pausedAdvance: RunningAdvance | undefined;
  /** The moment of the last fork: many forks of one are hashed once. */
  forkedAt: HashedMoment | undefined;
  readonly #storedBytesMax: number | undefined;
  readonly #origin: Pick<WorldMeta, 'seed' | 'recordRandom'>;

  constructor({ storage, program, meta, running = notRunning }: SimulationParts) {
    this.storage = storage;
    this.program = program;
    this.clock = new VirtualClock(meta.nowUs);
    this.counters = new Counters(meta.ledger, meta.ledgerChanges);
    const streams = new RandomStreams(meta.seed.seed, this.counters);
    this.faults = new Faults(program, this.counters, streams);
    this.overrides = new Overrides(program.setup, this.counters);
    this.turn = new Turn({
      storage,
      clock: this.clock,
      counters: this.counters,
      streams,
      recordRandom: meta.recordRandom,
      report: running.report,
    });
    this.dispatcher = new EventDispatcher(this.turn, program, running);
    this.usage = { ...meta.usage };
    this.budgets = meta.budgets;
    this.isClosed = meta.isClosed;
    this.pausedAdvance = meta.advance;
    this.#storedBytesMax = running.storedBytesMax;
    this.#origin = { seed: meta.seed, recordRandom: meta.recordRandom };
  }

  meta(): WorldMeta {
    const { budgets, usage, isClosed, counters } = this;
    const { seed, recordRandom } = this.#origin;
    const nowUs = this.clock.nowUs;
    const meta: WorldMeta = {
      seed,
      recordRandom,
      nowUs,
      isClosed,
      budgets,
      usage: { ...usage },
      ledger: counters.entries(),
      ledgerChanges: counters.changes(),
    };
    // One without a key cannot be asked for again: a crash ends it.
    const advance = this.advance?.operationKey === undefined ? this.pausedAdvance : this.advance;
    if (advance !== undefined) meta.advance = { ...advance };
    return meta;
  }

  get isFull(): boolean {
    return this.#storedBytesMax !== undefined && this.storage.storedBytes >= this.#storedBytesMax;
  }
  storageView(): StorageView {
    const { storedBytes: bytes } = this.storage;
    return this.#storedBytesMax === undefined ? { bytes } : { bytes, bytesMax: this.#storedBytesMax };
  }
  /** Throws control.QUOTA_EXCEEDED for a world that has stored what it may. */
  requireFreeSpace(): void {
    if (!this.isFull) return;
    const { bytes, bytesMax } = this.storageView();
    throw new ServiceError('control.QUOTA_EXCEEDED', {
      message: `The world may store ${bytesMax} bytes; a whole reset frees what no snapshot keeps.`,
      details: { quota: 'sessionBytesMax', max: bytesMax as number, used: bytes },
      retryAfterMs: limits.quotaRetryAfterMs,
    });
  }

  /** Throws control.INVALID_REQUEST: actors come from the side that issues access, never from an agent. */
  persona(name: ActorName): Persona {
    const persona = this.program.persona(name);
    if (persona === undefined) throw invalidRequest(`No such actor: ${unresolvedPersona(this.program.actors, name).message}.`);
    return persona;
  }
}

export function invalidRequest(message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message });
}
