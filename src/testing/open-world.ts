// A world for a test: a repository's, in process, its clock in the test's hands, and a way in for code that speaks HTTP, MCP or the CLI.
import { createBindings } from '../bindings/create-bindings.js';
import { limits } from '../contract/limits.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import type { AdvanceResult } from '../contract/world/world-protocol.js';
import type { Access, BindingsPort } from '../drills/ports/bindings-port.js';
import { diagnosticsOf, SourceInvalidError } from '../drills/source-invalid.js';
import { createLocalWorld, type LocalWorld, type LocalWorldOptions } from '../local-world.js';
import type { ToolTypes } from '../tools/sdk.js';
import { keepThreads } from '../workers/kept-threads.js';
import { type TestTool, type ToolChoice, testTool } from './test-tool.js';

export type OpenWorldOptions = LocalWorldOptions;

export interface TestWorld {
  /** Everything else that a world can do. */
  readonly local: LocalWorld;
  /** A tool of it, as one of its actors may use it. */
  tool<T extends ToolTypes = ToolTypes>(packageId: string, choice: ToolChoice): TestTool<T>;
  nowUs(): Promise<number>;
  /** Moves the clock, firing what is due. Rejects where a handler of a scheduled event threw. */
  advance(to: { byUs: number } | { toUs: number }): Promise<AdvanceResult>;
  evidence(fromSequence?: number): Promise<EvidenceEntry[]>;
  /** Back to how it began: rows, clock, randomness, faults, evidence. Much faster than another world. */
  reset(): Promise<void>;
  /** Where an actor's client finds the world, each with a token of its own; until the world is closed. */
  connect(actor: { actorId: string; actorInstanceId?: string }): Promise<Access['endpoints']>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Rejects with control.SOURCE_INVALID when the repository does not compile, control.NOT_FOUND for a scenario or drill it has not. */
export async function openWorld(options: OpenWorldOptions): Promise<TestWorld> {
  return testWorld(await explained(createLocalWorld(options)));
}

/** Of source that does not compile the errors themselves, as a failing test shows the message and nothing else. */
export async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const diagnostics = diagnosticsOf(error);
    if (diagnostics === undefined) throw error;
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    const lines = errors.map(({ file, line, column, code, message, suggestion }) => {
      const advice = suggestion === undefined ? '' : `. ${suggestion}`;
      return `${file}:${line}:${column} ${code} ${message}${advice}`;
    });
    throw new SourceInvalidError(diagnostics, ['It does not compile:', ...lines].join('\n  '));
  }
}

export function testWorld(local: LocalWorld): TestWorld {
  // The next test opens a world too: on the thread of this one it takes a tenth of the time.
  keepThreads();
  const { world } = local;
  let bindings: BindingsPort | undefined;
  const nowUs = async (): Promise<number> => (await local.position()).virtualTimeUs;
  const close = async (): Promise<void> => {
    await bindings?.close();
    await local.close();
  };
  return {
    local,
    tool: (packageId, choice) => testTool(local, packageId, choice),
    nowUs,
    advance: async (to) => {
      const advanced = await local.advance('toUs' in to ? to.toUs : (await nowUs()) + to.byUs);
      const { failure, reachedUs, eventBudgetExhausted } = advanced;
      if (failure !== undefined) throw new Error(`A scheduled event failed at ${reachedUs} us: ${failure.code}, ${failure.message}`);
      if (eventBudgetExhausted)
        throw new Error(`More than ${limits.advanceEventsMax} events were due; the clock stands at ${reachedUs} us.`);
      return advanced;
    },
    evidence: async (fromSequence) => {
      const entries: EvidenceEntry[] = [];
      for await (const entry of local.evidence(fromSequence)) entries.push(entry);
      return entries;
    },
    reset: async () => void (await world.command({ kind: 'reset' })),
    connect: async (actor) => {
      // A world that is closed refuses, before a listener is there that nobody would close.
      await nowUs();
      bindings ??= createBindings();
      return (await bindings.open({ world, ...actor, bindings: ['http', 'mcp', 'cli'] })).endpoints;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
