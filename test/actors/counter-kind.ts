// A kind of actor for tests: counters kept in a file each, which can be asked to misbehave. A host loads it as any other kind.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { Actor, ActorKind, CommandRun, HostFacts } from '../../src/actors/definition.js';
import { ServiceError } from '../../src/contract/errors.js';

export interface CounterOptions {
  directory: string;
  /** Commits wait, as for a slow disk, until the control request `release`. */
  holdCommits?: boolean;
  failToLoad?: boolean;
  /** Asked of the system before the kind is there; the control request `askedAtLoad` tells its answer. */
  askAtLoad?: unknown;
}
export type CounterCommand =
  | { kind: 'add'; amount: number }
  /** Adds 1 in each slice, until it has done so `slices` times or is cancelled; tells its progress. */
  | { kind: 'slices'; slices: number }
  | { kind: 'refuse' }
  | { kind: 'throw' }
  | { kind: 'spin' }
  | { kind: 'hog' }
  | { kind: 'exit' }
  /** Stays in native code, where a thread cannot be ended, for a while; then the file `left` is there. */
  | { kind: 'goNative' }
  /** For ever, and without work: the other end of a pipe is opened by nobody. */
  | { kind: 'stayNative' }
  | { kind: 'unclonable' }
  /** Says for ever after that something is uncommitted, and has nothing to commit. */
  | { kind: 'miscount' }
  | { kind: 'idle'; rounds: number };
export type CounterQuery = { kind: 'read' } | { kind: 'slowRead'; slices: number } | { kind: 'spin' } | { kind: 'exit' };
export interface CounterState {
  value: number;
  incarnation: number;
  /** Write sets so far; a set commits only on top of the one it was made after. */
  version: number;
}
export interface CounterReply extends CounterState {
  host: number;
  pid: number;
  threadId: number;
  committedValue: number;
}
export type CounterControl =
  | { kind: 'release' }
  | { kind: 'failNextCommit'; actorId: string; bug?: boolean }
  /** The next commit blocks its host until the file `resume` is there. */
  | { kind: 'blockNextCommit' }
  | { kind: 'echo'; value: unknown }
  | { kind: 'refuse' }
  | { kind: 'throw' }
  | { kind: 'neverAnswer' }
  /** Asks all of them at once. */
  | { kind: 'ask'; requests: unknown[] }
  | { kind: 'askedAtLoad' }
  | { kind: 'askUnclonable' }
  /** Writes to the wire of a process what no host would. */
  | { kind: 'forge'; envelope: unknown[] }
  | { kind: 'forgeText'; text: string }
  /** The value of an actor, committed or not. */
  | { kind: 'inMemory'; actorId: string }
  /** From then on no actor of these is activated. */
  | { kind: 'dismiss'; actorIds: string[]; isLost: boolean }
  | { kind: 'idleRounds' };
interface CounterSet {
  actorId: string;
  state: CounterState;
}

export async function createActorKind(options: unknown, host: HostFacts): Promise<ActorKind> {
  const { failToLoad, askAtLoad, ...rest } = options as CounterOptions;
  if (failToLoad) throw new Error('asked not to load');
  return new CounterKind(rest, host, askAtLoad === undefined ? undefined : await host.ask(askAtLoad));
}

/** The control path carries no bytes. */
function withBytes(request: unknown): unknown {
  const { bytes } = request as { bytes?: number[] };
  return bytes === undefined ? request : { ...(request as object), bytes: Uint8Array.from(bytes) };
}

/** What an ask came to, as data. */
async function askOutcome(asked: Promise<unknown>): Promise<unknown> {
  try {
    const value = await asked;
    return value instanceof Uint8Array ? { bytes: [...value] } : { value };
  } catch (error) {
    return { code: (error as ServiceError).code };
  }
}

/** Never answers. */
function forge(text: string): Promise<never> {
  const body = Buffer.from(text);
  const header = Buffer.alloc(4);
  header.writeUInt32LE(body.length);
  const message = Buffer.concat([header, body]);
  for (let at = 0; at < message.length; ) {
    try {
      at += writeSync(3, message, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
  return new Promise(() => {});
}

class CounterKind implements ActorKind {
  readonly failing = new Map<string, Error>();
  readonly #dismissed = new Set<string>();
  readonly #live = new Map<string, Counter>();
  idleRounds = 0;
  #blocking = false;
  #held: (() => void)[] = [];
  #released: boolean;

  constructor(
    readonly options: CounterOptions,
    readonly host: HostFacts,
    readonly askedAtLoad: unknown,
  ) {
    this.#released = !options.holdCommits;
  }

  activate(actorId: string, incarnation: number): Actor {
    if (this.#dismissed.has(actorId)) throw new ServiceError('control.UNAVAILABLE');
    if (actorId.startsWith('absent')) throw new ServiceError('control.NOT_FOUND');
    this.note('activate', { actorId, incarnation });
    const counter = new Counter(this, actorId, incarnation);
    this.#live.set(actorId, counter);
    return counter;
  }

  async commit(writeSets: readonly unknown[]): Promise<readonly (Error | undefined)[]> {
    const results = (writeSets as CounterSet[]).map((writeSet) => this.#write(writeSet));
    while (this.#blocking && !existsSync(join(this.options.directory, 'resume')));
    this.note('commit', { actors: (writeSets as CounterSet[]).map(({ actorId }) => actorId) });
    if (!this.#released) await new Promise<void>((resolve) => this.#held.push(resolve));
    return results;
  }

  #write({ actorId, state }: CounterSet): Error | undefined {
    const failure = this.failing.get(actorId);
    if (failure) {
      this.failing.delete(actorId);
      return failure;
    }
    const stored = this.load(actorId);
    if (stored.incarnation > state.incarnation || stored.version !== state.version - 1) return new ServiceError('world.ACTOR_RESTARTED');
    const path = join(this.options.directory, `${actorId}.json`);
    writeFileSync(`${path}.tmp`, JSON.stringify(state));
    renameSync(`${path}.tmp`, path);
    return undefined;
  }

  load(actorId: string): CounterState {
    const path = join(this.options.directory, `${actorId}.json`);
    if (!existsSync(path)) return { value: 0, incarnation: 0, version: 0 };
    return JSON.parse(readFileSync(path, 'utf8')) as CounterState;
  }

  control(request: unknown): unknown {
    const asked = request as CounterControl;
    switch (asked.kind) {
      case 'release':
        this.#released = true;
        for (const resume of this.#held) resume();
        this.#held = [];
        return undefined;
      case 'failNextCommit':
        this.failing.set(asked.actorId, asked.bug ? new Error('asked to break') : new ServiceError('control.STORAGE_FULL'));
        return undefined;
      case 'blockNextCommit':
        this.#blocking = true;
        return undefined;
      case 'echo':
        return { host: this.host.index, isolation: this.host.isolation, pid: process.pid, threadId, value: asked.value };
      case 'refuse':
        throw new ServiceError('control.NOT_FOUND', { details: { asked: 'control' } });
      case 'throw':
        throw new Error('asked to throw in control');
      case 'neverAnswer':
        return new Promise(() => {});
      case 'ask':
        return Promise.all(asked.requests.map((one) => askOutcome(this.host.ask(withBytes(one)))));
      case 'askedAtLoad':
        return this.askedAtLoad;
      case 'askUnclonable':
        return Promise.all([askOutcome(this.host.ask({ size: 1n, make: () => {} })), askOutcome(this.host.ask({ kind: 'after' }))]);
      case 'forge':
        return forge(JSON.stringify({ lane: 'mail', envelope: asked.envelope }));
      case 'forgeText':
        return forge(asked.text);
      case 'inMemory':
        return this.#live.get(asked.actorId)?.value;
      case 'dismiss':
        for (const actorId of asked.actorIds) this.#dismissed.add(actorId);
        return this.host.dismiss((actorId) => asked.actorIds.includes(actorId), asked);
      case 'idleRounds':
        return this.idleRounds;
    }
  }

  async close(): Promise<void> {
    this.note('close', {});
  }

  note(event: string, facts: object): void {
    appendFileSync(join(this.options.directory, 'notes.log'), `${JSON.stringify({ host: this.host.index, event, ...facts })}\n`);
  }
}

class Counter implements Actor {
  readonly #kind: CounterKind;
  readonly #actorId: string;
  readonly #state: CounterState;
  #committed: number;
  #pending = 0;
  #idleRounds = 0;
  #miscounts = false;

  constructor(kind: CounterKind, actorId: string, incarnation: number) {
    const stored = kind.load(actorId);
    this.#kind = kind;
    this.#actorId = actorId;
    this.#state = { ...stored, incarnation: Math.max(incarnation, stored.incarnation + 1) };
    this.#committed = stored.value;
  }

  get value(): number {
    return this.#state.value;
  }

  *command(message: unknown, run: CommandRun): Generator<undefined, unknown> {
    const command = message as CounterCommand;
    switch (command.kind) {
      case 'add':
        this.#add(command.amount);
        return this.#reply();
      case 'slices':
        for (let done = 0; done < command.slices && !run.cancelRequested; done++) {
          this.#add(1);
          run.progress(this.#state.value);
          yield;
        }
        return this.#reply();
      case 'refuse':
        throw new ServiceError('control.STATE_CONFLICT', { details: { reported: true } });
      case 'throw':
        this.#add(1000);
        throw new Error('asked to throw');
      case 'spin':
        this.#add(1000);
        for (;;);
      case 'hog': {
        const hoard: number[][] = [];
        for (;;) hoard.push(new Array(10_000).fill(hoard.length));
      }
      case 'exit':
        process.exit(7);
        return undefined;
      case 'goNative':
        spawnSync('sh', ['-c', 'touch entered; sleep 0.3; touch left'], { cwd: this.#kind.options.directory });
        return undefined;
      case 'stayNative': {
        const pipe = join(this.#kind.options.directory, 'pipe');
        spawnSync('mkfifo', [pipe]);
        openSync(pipe, 'r');
        return undefined;
      }
      case 'unclonable':
        return { make: () => {}, size: 1n };
      case 'miscount':
        this.#miscounts = true;
        return this.#reply();
      case 'idle':
        this.#idleRounds = command.rounds;
        this.#kind.host.wantsIdle(this.#actorId);
        return undefined;
    }
  }

  query(message: unknown): { reply: unknown } | Generator<undefined, unknown> {
    const query = message as CounterQuery;
    switch (query.kind) {
      case 'read':
        return { reply: this.#reply() };
      case 'slowRead':
        return this.#slowRead(query.slices);
      case 'spin':
        for (;;);
      case 'exit':
        process.exit(7);
    }
  }

  *#slowRead(slices: number): Generator<undefined, unknown> {
    const values: number[] = [];
    for (let done = 0; done < slices; done++) {
      values.push(this.#state.value);
      yield;
    }
    return values;
  }

  #add(amount: number): void {
    this.#state.value += amount;
    this.#pending++;
  }

  #reply(): CounterReply {
    return { ...this.#state, host: this.#kind.host.index, pid: process.pid, threadId, committedValue: this.#committed };
  }

  takeWriteSet(): CounterSet | undefined {
    if (this.#pending === 0) return undefined;
    this.#pending = 0;
    this.#state.version++;
    this.#committed = this.#state.value;
    return { actorId: this.#actorId, state: { ...this.#state } };
  }
  pendingCount(): number {
    return this.#pending + (this.#miscounts ? 1 : 0);
  }
  idle(): boolean {
    this.#kind.idleRounds++;
    return --this.#idleRounds > 0;
  }
  passivate(): void {
    this.#kind.note('passivate', { actorId: this.#actorId });
  }
  discard(): void {
    this.#kind.note('discard', { actorId: this.#actorId });
  }
}
