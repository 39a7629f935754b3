// A host for one world, driven by hand: the kind as actors loads it, with slices that end where a test wants them, and incarnations that
// end between a slice and its commit.
import { mkdirSync } from 'node:fs';
import type { Actor, ActorKind, CommandRun } from '../../src/actors/definition.js';
import { jsonDigest } from '../../src/contract/digest.js';
import type { JsonValue } from '../../src/contract/json.js';
import type { WorldSetup } from '../../src/contract/world/scenario.js';
import type { WorldAnswers, WorldCommand, WorldQuery } from '../../src/contract/world/world-protocol.js';
import { createActorKind } from '../../src/worlds/host.js';
import type { CreateRequest, HostOptions } from '../../src/worlds/host-requests.js';
import { bankBuild, bankSetup } from './bank-build.js';

export interface Slicing {
  /** Whether the slice is over, asked as often as a command asks. */
  sliceOver(): boolean;
  /** After a slice: commit what there is? */
  commits(): boolean;
  /** After a slice: is the incarnation over, whatever was not committed lost? The command is then given up. */
  crashes(): boolean;
  /** Whether others wait for their slices. Default: nobody does. */
  isShared?: boolean;
}
export const unsliced: Slicing = { sliceOver: () => false, commits: () => true, crashes: () => false };
export const gaveUp = Symbol('the incarnation ended');

export class SlicingHost {
  readonly #kind: ActorKind;
  readonly #worldId: string;
  #actor: Actor | undefined;
  #incarnation = 1;

  private constructor(kind: ActorKind, worldId: string) {
    this.#kind = kind;
    this.#worldId = worldId;
  }

  static async create(
    directory: string,
    worldId: string,
    { setup: changes = {}, recordRandom = false }: { setup?: Partial<WorldSetup>; recordRandom?: boolean } = {},
  ): Promise<SlicingHost> {
    mkdirSync(directory, { recursive: true });
    const options: HostOptions = {
      directory,
      layout: 'run',
      durability: 'committed',
      hosts: 1,
      freshModulePerTurn: false,
      printThrows: false,
    };
    const kind = await createActorKind(options, {
      index: 0,
      isolation: 'thread',
      wantsIdle: () => {},
      ask: async () => {},
      dismiss: async () => {},
    });
    const setup = { ...bankSetup, ...changes };
    const setupHash = jsonDigest(setup as unknown as JsonValue);
    const { buildHash, tools } = bankBuild;
    const request: CreateRequest = {
      kind: 'create',
      worldId,
      buildHash,
      setupHash,
      seed: { seed: '7', trial: 1, attempt: 1 },
      budgets: { maxToolCalls: null, maxEvents: null },
      recordRandom,
      program: { schemaVersion: 1, buildHash, tools, setup, setupHash },
    };
    await kind.control(request);
    return new SlicingHost(kind, worldId);
  }

  /** `gaveUp` when the incarnation ended in the midst of it. */
  async command<C extends WorldCommand>(command: C, slicing: Slicing = unsliced): Promise<WorldAnswers[C['kind']] | typeof gaveUp> {
    const run: CommandRun = {
      cancelRequested: false,
      isShared: slicing.isShared === true,
      progress: () => {},
      sliceOver: () => slicing.sliceOver(),
    };
    const steps = this.#live().command(command, run);
    for (;;) {
      const step = steps.next();
      if (slicing.crashes()) {
        this.crash();
        return gaveUp;
      }
      if (step.done || slicing.commits()) await this.#commit();
      if (step.done) return step.value as WorldAnswers[C['kind']];
      // Idle work may be done at any time, and changes nothing.
      this.#live().idle();
    }
  }
  query<Q extends WorldQuery>(query: Q): WorldAnswers[Q['kind']] {
    const answer = this.#live().query(query);
    if ('reply' in answer) return answer.reply as WorldAnswers[Q['kind']];
    for (;;) {
      const step = answer.next();
      if (step.done) return step.value as WorldAnswers[Q['kind']];
    }
  }
  passivate(): void {
    this.#actor?.passivate();
    this.#actor = undefined;
  }
  /** Nothing is said to the incarnation that ends: what it had not committed never happened. */
  crash(): void {
    this.#actor = undefined;
  }
  close(): Promise<void> {
    return this.#kind.close();
  }

  #live(): Actor {
    this.#actor ??= this.#kind.activate(this.#worldId, this.#incarnation++);
    return this.#actor;
  }
  async #commit(): Promise<void> {
    const set = this.#live().takeWriteSet();
    if (set === undefined) return;
    const [refusal] = await this.#kind.commit([set]);
    if (refusal !== undefined) throw refusal;
  }
}
