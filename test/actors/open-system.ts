// Actor systems of counters for the tests of this module, in both isolations, each in a folder of its own.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ActorLogEntry, ActorSystemOptions, CommandOptions } from '../../src/actors/options.js';
import { ActorSystem } from '../../src/actors/system.js';
import { ServiceError } from '../../src/contract/errors.js';
import type { CounterCommand, CounterControl, CounterOptions, CounterQuery, CounterReply } from './counter-kind.js';

export type Isolation = 'thread' | 'process';
type OpenOptions = Partial<ActorSystemOptions> & { counters?: Partial<CounterOptions>; directory?: string };

export interface Note {
  host: number;
  event: 'activate' | 'commit' | 'passivate' | 'discard' | 'close';
  actorId?: string;
  actors?: string[];
  incarnation?: number;
}
export interface CounterSystem {
  system: ActorSystem;
  isolation: Isolation;
  directory: string;
  log: ActorLogEntry[];
  command(actorId: string, command: CounterCommand, options?: CommandOptions): Promise<CounterReply>;
  add(actorId: string, amount?: number): Promise<CounterReply>;
  read(actorId: string): Promise<CounterReply>;
  query(actorId: string, query: CounterQuery): Promise<unknown>;
  control(host: number, request: CounterControl): Promise<unknown>;
  /** What the kinds of all hosts noted, oldest first. */
  notes(): Note[];
  /** The id of an actor that lives on `host`. */
  actorOn(host: number, name?: string): string;
}

/** The same truth for threads and processes. */
export function testBoth(name: string, options: OpenOptions, body: (counters: CounterSystem) => Promise<void>): void {
  for (const isolation of ['thread', 'process'] as const) testWith(`${name} (${isolation})`, { ...options, isolation }, body);
}
export function testWith(
  name: string,
  options: OpenOptions & { isolation: Isolation },
  body: (counters: CounterSystem) => Promise<void>,
): void {
  test(name, { timeout: 30_000 }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'counters-'));
    const counters = await openSystem({ ...options, directory });
    try {
      await body(counters);
    } finally {
      await counters.system.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });
}

/** As `testBoth`, with one system for all of the file: for tests that end no host and name actors that no other one does. */
export function shareSystems(): (name: string, body: (counters: CounterSystem) => Promise<void>) => void {
  const opened = new Map<Isolation, Promise<CounterSystem>>();
  after(async () => {
    for (const { system, directory } of await Promise.all(opened.values())) {
      await system.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });
  const open = (isolation: Isolation): Promise<CounterSystem> => {
    const counters = opened.get(isolation) ?? openSystem({ isolation, directory: mkdtempSync(join(tmpdir(), 'counters-')) });
    opened.set(isolation, counters);
    return counters;
  };
  return (name, body) => {
    for (const isolation of ['thread', 'process'] as const)
      test(`${name} (${isolation})`, { timeout: 30_000 }, async () => body(await open(isolation)));
  };
}

export async function openSystem({
  counters,
  directory,
  ...options
}: OpenOptions & { directory: string; isolation: Isolation }): Promise<CounterSystem> {
  const log: ActorLogEntry[] = [];
  const system = await ActorSystem.start({
    hostModule: new URL('./counter-kind.js', import.meta.url),
    hostOptions: { directory, ...counters } satisfies CounterOptions,
    hosts: 1,
    log: (entry) => log.push(entry),
    ...options,
  });
  const command = (actorId: string, message: CounterCommand, how?: CommandOptions) =>
    system.command(actorId, message, how) as Promise<CounterReply>;
  return {
    system,
    isolation: options.isolation,
    directory,
    log,
    command,
    add: (actorId, amount = 1) => command(actorId, { kind: 'add', amount }),
    read: (actorId) => system.query(actorId, { kind: 'read' }) as Promise<CounterReply>,
    query: (actorId, query) => system.query(actorId, query),
    control: (host, request) => system.control(host, request),
    notes: () => {
      const path = join(directory, 'notes.log');
      if (!existsSync(path)) return [];
      // The host may be writing it: the file is there before its first line, and a line before its end.
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Note);
    },
    actorOn: (host, name = 'actor') => {
      for (let number = 0; ; number++) if (system.hostOf(`${name}-${number}`) === host) return `${name}-${number}`;
    },
  };
}

/** The code a promise is refused with; what it answered instead, if it did. */
export async function refusalOf(promise: Promise<unknown>): Promise<ServiceError['code']> {
  try {
    throw new Error(`answered: ${JSON.stringify(await promise)}`);
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

/** A promise and the moment it resolves, for `onProgress` and the like. */
export function signalled(): { promise: Promise<void>; fire: () => void } {
  let fire!: () => void;
  const promise = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { promise, fire };
}
