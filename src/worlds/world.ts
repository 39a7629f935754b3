// The actor of one world: takes its messages apart, runs each command on the simulation, and hands out what has to be written.
//   WORLD-1. What a command changed is in the next write set whole, with the worlds it gave birth to.
//   WORLD-2. A command that answers with a position changes the world and computes it in one step, so that no commit parts the two.
// A world that failed in the midst of rearranging its storage is broken: every later write set is refused for the same reason, so its host
// ends this incarnation and the next one begins at the last commit.
import type { Actor, CommandRun } from '../actors/definition.js';
import { ServiceError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type {
  CommandKey,
  DeleteSnapshot,
  Reset,
  WorldAnswers,
  WorldCommand,
  WorldPosition,
  WorldQuery,
} from '../contract/world/world-protocol.js';
import { advanceTime, begunAdvance } from './commands/advance.js';
import { snapshotIdOf } from './commands/birth.js';
import { callRoute } from './commands/call-route.js';
import { callTool } from './commands/call-tool.js';
import { settleDelivery, startDelivery } from './commands/callback-attempts.js';
import { cancelEvent, lifecycle, scheduleEvents, setBudgets, setFault, setOverrides, verify } from './commands/controls.js';
import { type ForkCommand, type ForkReply, fork } from './commands/fork-world.js';
import { type PackedSchedule, type PackedScheduleReply, schedulePacked } from './commands/packed-schedule.js';
import { position, positionNow } from './commands/position.js';
import { answerQuery, type QueryAnswer } from './commands/queries.js';
import { refuseRequest } from './commands/refuse-request.js';
import { hashAhead, resetWorld } from './commands/reset.js';
import { wait } from './commands/wait.js';
import type { WriteSet } from './kv/write-set.js';
import { needsSpace } from './needs-space.js';
import { requestHashOf, requireSameRequest } from './state/command-log.js';
import { originId } from './state/snapshots.js';
import type { WorldRepository } from './state/world-repository.js';
import { invalidRequest, Simulation, type SimulationParts, type ToolRunning } from './turn/simulation.js';
import type { WorldMeta } from './turn/world-meta.js';

export interface WorldWrite {
  store: WorldRepository;
  set: WriteSet;
}
/** What one commit writes for one actor; `refusal` in place of it where the actor is broken. */
export type WorldWrites = { writes: WorldWrite[]; refusal?: undefined } | { refusal: Error };

export interface WorldSurroundings {
  store: WorldRepository;
  running: ToolRunning;
  /** The data file of a world to be, with the parent's program in it. */
  storeForFork(worldId: string): WorldRepository;
  wantsIdle(): void;
  /** Called when the actor has left the memory. */
  left(): void;
}
type Command = WorldCommand | ForkCommand | PackedSchedule;
type Reply = WorldAnswers[WorldCommand['kind']] | ForkReply | PackedScheduleReply;

export class WorldActor implements Actor {
  #simulation: Simulation;
  readonly #surroundings: WorldSurroundings;
  #births: WorldWrite[] = [];
  #broken: Error | undefined;

  constructor(parts: Omit<SimulationParts, 'running'>, surroundings: WorldSurroundings) {
    this.#simulation = new Simulation({ ...parts, running: surroundings.running });
    this.#surroundings = surroundings;
  }

  *command(message: unknown, run: CommandRun): Generator<undefined, Reply> {
    const command = message as Command;
    const { operationKey } = command as CommandKey;
    return operationKey === undefined ? yield* this.#run(command, run) : yield* this.#runOnce(command, operationKey, run);
  }

  *#runOnce(command: Command, operationKey: string, run: CommandRun): Generator<undefined, Reply> {
    requireOperationKey(operationKey);
    const { doneCommands } = this.#simulation.storage;
    const requestHash = requestHashOf(command);
    const done = doneCommands.get(operationKey);
    const begun = begunAdvance(this.#simulation, { operationKey });
    requireSameRequest(operationKey, done?.requestHash ?? begun?.requestHash ?? requestHash, requestHash);
    if (done !== undefined) return done.answer as unknown as Reply;
    const answer = yield* this.#run(command, run);
    if ('paused' in answer) return answer;
    doneCommands.put(operationKey, { requestHash, answer: answer as unknown as JsonValue });
    return answer;
  }

  *#run(command: Command, run: CommandRun): Generator<undefined, Reply> {
    if (this.#simulation.isClosed) requireAnswerOfClosed(command);
    if (needsSpace(command)) this.#simulation.requireFreeSpace();
    switch (command.kind) {
      case 'call':
        return callTool(this.#simulation, command);
      case 'callRoute':
        return callRoute(this.#simulation, command);
      case 'refuseRequest':
        return refuseRequest(this.#simulation, command);
      case 'advance':
        return yield* advanceTime(this.#simulation, command, run);
      case 'wait':
        return yield* wait(this.#simulation, command, run);
      case 'startDelivery':
        return yield* startDelivery(this.#simulation, command, run);
      case 'settleDelivery':
        return settleDelivery(this.#simulation, command);
      case 'setFault':
        return setFault(this.#simulation, command);
      case 'schedule':
        return scheduleEvents(this.#simulation, command);
      case 'packedSchedule':
        return schedulePacked(this.#simulation, command);
      case 'cancelEvent':
        return cancelEvent(this.#simulation, command);
      case 'setOverrides':
        return setOverrides(this.#simulation, command);
      case 'setBudgets':
        return setBudgets(this.#simulation, command);
      case 'verify':
        return verify(this.#simulation, command);
      case 'snapshot':
        return yield* this.#snapshot(run);
      case 'deleteSnapshot':
        return this.#deleteSnapshot(command);
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
    const set = storage.takeWriteSet(this.#simulation.meta());
    if (set === undefined && this.#births.length === 0) return undefined;
    if (storage.journal.sequence >= limits.evidenceLeafEntries) this.#surroundings.wantsIdle();
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

  *#snapshot(run: CommandRun): Generator<undefined, WorldAnswers['snapshot']> {
    const { storage, turn } = this.#simulation;
    yield* this.#position(run);
    const snapshotId = snapshotIdOf(storage);
    turn.begin(undefined);
    const atSequence = storage.journal.sequence + 1;
    storage.journal.draft({ kind: 'lifecycle', phase: 'snapshot_created', details: { snapshotId, atSequence } });
    turn.end();
    this.#rearrange(() => storage.takeSnapshot(snapshotId, this.#simulation.meta()));
    return { snapshotId, position: positionNow(this.#simulation) };
  }

  /** No turn: what the world was and will be is the same without it. */
  #deleteSnapshot({ snapshotId }: DeleteSnapshot): WorldAnswers['deleteSnapshot'] {
    const { storage } = this.#simulation;
    if (snapshotId === originId) throw invalidRequest('A snapshot is named by its id.');
    storage.snapshots.require(snapshotId);
    this.#rearrange(() => storage.deleteSnapshot(snapshotId));
    return { deleted: true };
  }

  *#reset(command: Reset, run: CommandRun): Generator<undefined, WorldAnswers['reset']> {
    const { storage, program } = this.#simulation;
    const { running } = this.#surroundings;
    const stateHash = yield* hashAhead(this.#simulation, command, () => run.sliceOver());
    const renew = (meta: WorldMeta): Simulation => new Simulation({ storage, program, meta, running });
    this.#simulation = this.#rearrange(() => resetWorld(this.#simulation, command, renew));
    return { position: positionNow(this.#simulation, stateHash) };
  }

  *#fork(command: ForkCommand, run: CommandRun): Generator<undefined, ForkReply> {
    const openTarget = (): WorldRepository => this.#surroundings.storeForFork(command.worldId);
    const forking = fork(this.#simulation, command, { openTarget, sliceOver: () => run.sliceOver() });
    for (;;) {
      const step = this.#rearrange(() => forking.next());
      if (!step.done) {
        yield;
        continue;
      }
      const { store, set, reply } = step.value;
      this.#births.push({ store, set });
      return reply;
    }
  }

  /** A world that is closed already stays so: a caller that lost the first answer gets it again. */
  *#close(run: CommandRun): Generator<undefined, WorldAnswers['close']> {
    yield* this.#position(run);
    if (!this.#simulation.isClosed) {
      this.#simulation.isClosed = true;
      lifecycle(this.#simulation, 'world_closed', {});
    }
    return { position: positionNow(this.#simulation) };
  }

  #position(run: CommandRun): Generator<undefined, WorldPosition> {
    return position(this.#simulation, () => run.sliceOver());
  }

  /** A refusal of the request comes before anything is moved and is the caller's alone; anything else breaks the world. */
  #rearrange<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ServiceError) || !requestRefusals.has(error.code)) this.#broken = error as Error;
      throw error;
    }
  }
}

const requestRefusals = new Set<string>(['control.INVALID_REQUEST', 'control.NOT_FOUND', 'control.STATE_CONFLICT']);

/** A fork leaves its parent as it is, closed or not; a whole reset goes back to before it was closed. */
function requireAnswerOfClosed(command: Command): void {
  if (command.kind === 'close' || command.kind === 'fork' || command.kind === 'deleteSnapshot') return;
  if (command.kind === 'reset' && command.packages === undefined) return;
  throw new ServiceError('control.STATE_CONFLICT', {
    message: 'The world is closed; a whole reset opens it again.',
    details: { closed: true },
  });
}
function requireOperationKey(operationKey: unknown): void {
  if (typeof operationKey === 'string' && operationKey.length > 0 && operationKey.length <= limits.operationKeyCharsMax) return;
  throw invalidRequest(`An operation key is a text of 1 to ${limits.operationKeyCharsMax} characters.`);
}

function unknownCommand(command: never): never {
  throw invalidRequest(`There is no command '${(command as { kind: unknown }).kind}'.`);
}
