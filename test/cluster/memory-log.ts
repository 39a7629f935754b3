// The log in the memory of one process, for tests and for the model of what may happen: the same answers as the log in PostgreSQL, with
// faults where somebody asks for them. Each verb takes effect in one step. It keeps the rules of the port (src/cluster/log.ts), as the log
// in PostgreSQL does: one test asks both.
import { randomUUID } from 'node:crypto';
import {
  type Appended,
  type Beat,
  type ClusterLog,
  type HomeState,
  type LogEntry,
  type LogPlace,
  LogUnavailable,
  LogUnknown,
  NameHeld,
  type NameHolder,
  type NodeState,
  type OwnState,
  type SnapshotStore,
} from '../../src/cluster/log.js';
import { nodeTooOld } from '../../src/cluster/refusals.js';
import type { SharedBlobs } from '../../src/contract/cluster-store.js';
import { ServiceError } from '../../src/contract/errors.js';

export type LogVerb =
  | 'append'
  | 'resolve'
  | 'claim'
  | 'give'
  | 'read'
  | 'ends'
  | 'trim'
  | 'beat'
  | 'leave'
  | 'endSessionsOf'
  | 'want'
  | 'drain'
  | 'health';
export interface LogFaults {
  /** `requestLost`: nothing is done, and the caller does not know. `answerLost`: it is done, and the caller does not know. */
  fate?(verb: LogVerb): 'fine' | 'unavailable' | 'requestLost' | 'answerLost';
  /** What is waited for before the verb takes effect, and before its answer arrives. */
  delay?(verb: LogVerb, phase: 'request' | 'answer'): Promise<void> | undefined;
}

interface HomeLog {
  state: HomeState;
  entries: LogEntry[];
}

/** What all nodes share. */
export class MemoryLog {
  readonly #homes: HomeLog[];
  #server = 'memory';
  readonly #nodes = new Map<string, NodeState>();
  readonly #snapshots = new Map<number, Map<number, Buffer[]>>();
  readonly #blobs = new Map<string, { body: Buffer[]; putAtMs: number }>();
  #format = 1;
  readonly clusterId: string = randomUUID();

  /** Homes 0 to `homes`. */
  constructor({ homes }: { homes: number }) {
    this.#homes = Array.from({ length: homes + 1 }, (_, home) => ({
      state: { home, owner: undefined, epoch: 0, firstSequence: 1, snapshotSequence: 0, wanted: undefined },
      entries: [],
    }));
  }

  /** The log as one node has it. */
  door(node: string, faults: LogFaults = {}): ClusterLog {
    const run = async <T>(verb: LogVerb, work: () => T): Promise<T> => {
      const fate = faults.fate?.(verb) ?? 'fine';
      if (fate === 'unavailable') throw new LogUnavailable(verb);
      if (fate === 'requestLost') throw new LogUnknown(verb);
      await faults.delay?.(verb, 'request');
      const result = work();
      await faults.delay?.(verb, 'answer');
      if (fate === 'answerLost') throw new LogUnknown(verb);
      return result;
    };
    return {
      append: (entries) => run('append', () => this.#append(entries)),
      resolve: (entries) => run('resolve', () => this.#append(entries)),
      claim: (home, epoch, owner) => run('claim', () => this.#own(home, epoch, owner)),
      give: (home, epoch, to) => run('give', () => this.#own(home, epoch, to) !== undefined),
      read: (from, bytesMax) => run('read', () => this.#read(from, bytesMax)),
      ends: (homes) => run('ends', () => new Map(homes.map((home) => [home, endOf(this.#homeOf(home))]))),
      trim: (home, below) => run('trim', () => this.#trim(home, below)),
      beat: (own, instead) => run('beat', () => this.#beat(own, instead)),
      leave: (incarnation) => run('leave', () => void (this.#nodes.get(node)?.incarnation === incarnation && this.#nodes.delete(node))),
      want: (homes, wanted) => run('want', () => this.#want(homes, wanted)),
      drain: (drained, isDrained) => run('drain', () => this.#drain(drained, isDrained)),
      health: () => run('health', () => ({ bytes: this.#bytes(), hasSynchronousStandby: false })),
      endSessionsOf: () => run('endSessionsOf', () => undefined),
      snapshots: this.#snapshotStore(),
      blobs: this.#sharedBlobs(),
      clusterId: this.clusterId,
      sweepStore: async () => 0,
      close: async () => {},
    };
  }

  #homeOf(home: number): HomeLog {
    const found = this.#homes[home];
    if (found === undefined) throw new Error(`there is no home ${home}`);
    return found;
  }

  /** Also resolves: entries of one append are there together, so one's own at its place shows that all were appended. */
  #append(entries: readonly LogEntry[]): Appended {
    if (entries.some((entry) => this.#at(entry)?.nonce.equals(entry.nonce))) return { outcome: 'appended' };
    const next = new Map<number, number>();
    const refused = new Set<number>();
    for (const { home, epoch, sequence } of entries) {
      const log = this.#homeOf(home);
      if (log.state.epoch !== epoch || sequence !== (next.get(home) ?? endOf(log) + 1)) refused.add(home);
      next.set(home, sequence + 1);
    }
    if (refused.size > 0) return { outcome: 'refused', homes: [...refused] };
    for (const entry of entries) this.#homeOf(entry.home).entries.push(entry);
    return { outcome: 'appended' };
  }

  #at({ home, sequence }: LogPlace): LogEntry | undefined {
    const { entries, state } = this.#homeOf(home);
    return entries[sequence - state.firstSequence];
  }

  #own(home: number, expectedEpoch: number, owner: string): number | undefined {
    const log = this.#homeOf(home);
    if (log.state.epoch !== expectedEpoch) return undefined;
    log.state = { ...log.state, owner, epoch: expectedEpoch + 1 };
    return log.state.epoch;
  }

  #read(from: readonly LogPlace[], bytesMax: number): LogEntry[] {
    const read: LogEntry[] = [];
    let bytes = 0;
    for (const { home, sequence } of from) {
      const { entries, state } = this.#homeOf(home);
      for (const entry of entries.slice(Math.max(0, sequence - state.firstSequence))) {
        if (bytes >= bytesMax) return read;
        read.push(entry);
        bytes += entry.body.length;
      }
    }
    return read;
  }

  #trim(home: number, below: number): void {
    const log = this.#homeOf(home);
    const first = Math.max(log.state.firstSequence, Math.min(below, endOf(log) + 1));
    log.entries = log.entries.slice(first - log.state.firstSequence);
    log.state = { ...log.state, firstSequence: first };
  }

  /** Another server of the engine answers from now on, which has of the home only what is below. */
  goBack(home: number, below: number): void {
    const log = this.#homeOf(home);
    log.entries = log.entries.filter(({ sequence }) => sequence < below);
    this.#server = `${this.#server}+`;
  }

  #beat(own: OwnState, instead: NameHolder | undefined): Beat {
    if (own.format < this.#format) throw nodeTooOld(own.format, this.#format);
    const before = this.#nodes.get(own.node);
    const isHeld = before !== undefined && before.incarnation !== own.incarnation;
    if (isHeld && (before.incarnation !== instead?.incarnation || before.beat !== instead.beat))
      throw new NameHeld({ incarnation: before.incarnation, beat: before.beat });
    const isDrained = before?.isDrained === true && before.incarnation === own.incarnation;
    this.#nodes.set(own.node, { ...own, isDrained, beat: (before?.beat ?? 0) + 1 });
    const nodes = [...this.#nodes.values()];
    this.#format = Math.max(this.#format, Math.min(...nodes.map(({ format }) => format)));
    return { nodes, homes: this.#homes.map(({ state }) => state), format: this.#format, server: this.#server };
  }

  #want(homes: readonly number[], wanted: string | undefined): void {
    for (const home of homes) {
      const log = this.#homeOf(home);
      log.state = { ...log.state, wanted };
    }
  }

  #drain(node: string, isDrained: boolean): boolean {
    const found = this.#nodes.get(node);
    if (found !== undefined) this.#nodes.set(node, { ...found, isDrained });
    return found !== undefined;
  }

  #bytes(): number {
    return this.#homes.reduce((sum, { entries }) => sum + entries.reduce((own, { body }) => own + body.length, 0), 0);
  }

  #snapshotStore(): SnapshotStore {
    const of = (home: number): Map<number, Buffer[]> => {
      const found = this.#snapshots.get(home) ?? new Map<number, Buffer[]>();
      this.#snapshots.set(home, found);
      return found;
    };
    return {
      put: async (home, sequence, body) => {
        of(home).set(sequence, await gather(body));
        const log = this.#homeOf(home);
        log.state = { ...log.state, snapshotSequence: Math.max(log.state.snapshotSequence, sequence) };
      },
      get: async function* (home, sequence) {
        const found = of(home).get(sequence);
        if (found === undefined) throw new ServiceError('control.NOT_FOUND', { message: `Home ${home} has no snapshot at ${sequence}.` });
        yield* found;
      },
      sequences: async (home) => [...of(home).keys()].sort((one, other) => other - one),
      trim: async (home, below) => {
        for (const sequence of [...of(home).keys()]) if (sequence < below) of(home).delete(sequence);
      },
    };
  }

  #sharedBlobs(): SharedBlobs {
    const blobs = this.#blobs;
    return {
      put: async (digest, body) => void blobs.set(digest, { body: await gather(body), putAtMs: Date.now() }),
      get: async (digest) => {
        const found = blobs.get(digest);
        return found && each(found.body);
      },
      has: async (digest) => blobs.has(digest),
      digests: () => each([...blobs.keys()]),
      removeOld: async (digest, ageMs) => {
        const found = blobs.get(digest);
        return found !== undefined && found.putAtMs < Date.now() - ageMs && blobs.delete(digest);
      },
    };
  }
}

const endOf = ({ state, entries }: HomeLog): number => state.firstSequence + entries.length - 1;

async function* each<T>(pieces: readonly T[]): AsyncGenerator<T> {
  yield* pieces;
}

async function gather(body: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return pieces;
}
