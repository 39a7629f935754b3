// The actor of one world: takes its messages apart, runs each command on the simulation, and hands out what has to be written.
//   D1. What a command changed is in the next write set whole, with the worlds it gave birth to.
//   D2. A world that could not be written is broken: every later write set is refused for the same reason, so its host ends this life.
import type { Actor, CommandRun } from '../actors/definition.js';
import { ServiceError } from '../contract/errors.js';
import type { Reset, TakeSnapshot, WorldAnswers, WorldCommand, WorldPosition, WorldQuery } from '../contract/world-protocol.js';
import { advanceTime } from './advance.js';
import { snapshotIdOf } from './birth.js';
import { callTool } from './call-tool.js';
import { cancelEvent, lifecycle, scheduleEvents, setBudgets, setFault, setOverrides, verify } from './controls.js';
import { type ForkCommand, type ForkReply, fork } from './fork-world.js';
import { position } from './position.js';
import { answerQuery, type QueryAnswer } from './queries.js';
import { resetWorld } from './reset.js';
import { invalidRequest, Simulation, type SimulationParts } from './simulation.js';
import { wait } from './wait.js';
import type { WorldMeta } from './world-meta.js';
import type { WorldStore } from './world-store.js';
import type { WriteSet } from './write-set.js';

export interface WorldWrite {
  store: WorldStore;
  set: WriteSet;
}
/** What one commit writes for one actor; `refusal` in place of it where the actor is broken. */
export type WorldWrites = { writes: WorldWrite[]; refusal?: undefined } | { refusal: Error };

export interface WorldSurroundings {
  store: WorldStore;
  isForgetful: boolean;
  /** The environment of a world to be, with the parent's program in it. */
  storeForFork(worldId: string): WorldStore;
  wantsIdle(): void;
  /** Called when the actor has left the memory. */
  left(): void;
}
type Command = WorldCommand | ForkCommand;
type Reply = WorldAnswers[WorldCommand['kind']] | ForkReply;

export class World implements Actor {
  #simulation: Simulation;
  readonly #surroundings: WorldSurroundings;
  #births: WorldWrite[] = [];
  #broken: Error | undefined;

  constructor(parts: SimulationParts, surroundings: WorldSurroundings) {
    this.#simulation = new Simulation(parts);
    this.#surroundings = surroundings;
  }

  *command(message: unknown, run: CommandRun): Generator<undefined, Reply> {
    const command = message as Command;
    if (this.#simulation.isClosed && command.kind !== 'close') throw new ServiceError('control.STATE_CONFLICT', { message: 'The world is closed.' });
    switch (command.kind) {
      case 'call':
        return callTool(this.#simulation, command);
      case 'advance':
        return yield* advanceTime(this.#simulation, command, run);
      case 'wait':
        return yield* wait(this.#simulation, command, run);
      case 'setFault':
        return setFault(this.#simulation, command);
      case 'schedule':
        return scheduleEvents(this.#simulation, command);
      case 'cancelEvent':
        return cancelEvent(this.#simulation, command);
      case 'setOverrides':
        return setOverrides(this.#simulation, command);
      case 'setBudgets':
        return setBudgets(this.#simulation, command);
      case 'verify':
        return verify(this.#simulation, command);
      case 'snapshot':
        return yield* this.#snapshot(command, run);
      case 'reset':
        return yield* this.#reset(command, run);
      case 'fork':
        return yield* this.#fork(command, run);
      case 'close':
        return yield* this.#close(run);
      default:
        return unknownCommand(command);
    }
  }

  query(message: unknown): QueryAnswer {
    return answerQuery(this.#simulation, message as WorldQuery);
  }

  takeWriteSet(): WorldWrites | undefined {
    if (this.#broken !== undefined) return { refusal: this.#broken };
    const { storage } = this.#simulation;
    const leaves = leafOf(storage.journal.sequence);
    const set = storage.takeWriteSet(this.#simulation.meta());
    if (set === undefined && this.#births.length === 0) return undefined;
    if (leaves > 0) this.#surroundings.wantsIdle();
    const writes = this.#births;
    this.#births = [];
    if (set !== undefined) writes.push({ store: this.#surroundings.store, set });
    return { writes };
  }
  pendingCount(): number {
    return this.#simulation.storage.pendingCount();
  }
  idle(): boolean {
    return this.#simulation.storage.idle();
  }
  passivate(): void {
    this.#simulation.storage.passivate();
    this.#surroundings.left();
  }
  discard(): void {
    this.#surroundings.left();
  }

  *#snapshot(_command: TakeSnapshot, run: CommandRun): Generator<undefined, WorldAnswers['snapshot']> {
    const { storage, turn } = this.#simulation;
    const snapshotId = snapshotIdOf(storage);
    turn.begin(undefined);
    const atSequence = storage.journal.sequence + 1;
    storage.journal.draft({ kind: 'lifecycle', phase: 'snapshot_created', details: { snapshotId, atSequence } });
    turn.end();
    this.#writing(() => storage.takeSnapshot(snapshotId, this.#simulation.meta()));
    return { snapshotId, position: yield* this.#position(run) };
  }

  *#reset(command: Reset, run: CommandRun): Generator<undefined, WorldAnswers['reset']> {
    const { storage, program } = this.#simulation;
    const { isForgetful } = this.#surroundings;
    const renew = (meta: WorldMeta): Simulation => new Simulation({ storage, program, meta, isForgetful });
    this.#simulation = this.#writing(() => resetWorld(this.#simulation, command, renew));
    return { position: yield* this.#position(run) };
  }

  *#fork(command: ForkCommand, run: CommandRun): Generator<undefined, ForkReply> {
    const { isForgetful, storeForFork } = this.#surroundings;
    const target = storeForFork(command.worldId);
    const forking = fork(this.#simulation, command, { target, isForgetful, sliceOver: () => run.sliceOver() });
    for (;;) {
      const step = this.#writing(() => forking.next());
      if (!step.done) {
        yield;
        continue;
      }
      this.#births.push({ store: target, set: step.value.set });
      return step.value.reply;
    }
  }

  /** A world that is closed already stays so: whoever lost the first answer gets it again. */
  *#close(run: CommandRun): Generator<undefined, WorldAnswers['close']> {
    if (!this.#simulation.isClosed) {
      this.#simulation.isClosed = true;
      lifecycle(this.#simulation, 'world_closed', {});
    }
    return { position: yield* this.#position(run) };
  }

  #position(run: CommandRun): Generator<undefined, WorldPosition> {
    return position(this.#simulation, () => run.sliceOver());
  }

  /** A refusal before anything was written is the caller's; one of the disk breaks the world. */
  #writing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ServiceError) || !harmless.has(error.code)) this.#broken = error as Error;
      throw error;
    }
  }
}

const harmless = new Set<string>(['control.INVALID_REQUEST', 'control.NOT_FOUND', 'control.STATE_CONFLICT']);

const leafEntries = 1024;
const leafOf = (sequence: number): number => Math.floor(sequence / leafEntries);

function unknownCommand(command: never): never {
  throw invalidRequest(`There is no command '${(command as { kind: unknown }).kind}'.`);
}
