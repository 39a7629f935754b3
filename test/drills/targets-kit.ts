// Targets by themselves, for tests: agents of every temper, with an access that records the order of what happens.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { CommandTarget, ModuleTarget, Target } from '../../src/contract/run/target.js';
import type { Access, DirectClient } from '../../src/drills/ports/bindings-port.js';
import type { TargetRun } from '../../src/drills/targets/target-run.js';
import { Targets } from '../../src/drills/targets/targets.js';

export const root = mkdtempSync(join(tmpdir(), 'drillyard-targets-'));
export const pools = {
  thread: new Targets({ root, isolation: 'thread', prefixes: ['OTHER'], allowRemote: false }),
  process: new Targets({ root, isolation: 'process', prefixes: [], allowRemote: false }),
};
after(async () => {
  await Promise.all([pools.thread.close(), pools.process.close()]);
  rmSync(root, { recursive: true, force: true });
});

export function file(name: string, text: string): string {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), text);
  return name;
}

export interface Recorded {
  access: Access;
  revoked: boolean;
  calls: unknown[];
}
export function recordedAccess(): Recorded {
  const recorded: Recorded = { calls: [], revoked: false, access: undefined as unknown as Access };
  const direct: DirectClient = {
    tools: async () => [],
    wait: async () => ({ outcome: { kind: 'ok', value: null }, correlationId: 'corr_0', virtualTimeUs: 0 }),
    receive: async (receiverId, target) => void recorded.calls.push({ receiverId, ...target }),
    call: async (call) => {
      if (recorded.revoked) throw new ServiceError('control.UNAUTHENTICATED');
      recorded.calls.push(call);
      return { callId: 'call_0', correlationId: 'corr_0', outcome: { kind: 'ok', value: recorded.calls.length }, sequence: 1 };
    },
  };
  recorded.access = {
    endpoints: { http: { url: 'http://127.0.0.1:1', token: 'TOKEN-OF-HTTP' }, cli: { url: 'http://127.0.0.1:1', token: 'TOKEN-OF-CLI' } },
    direct,
    observed: () => recorded.calls.length > 0,
    unanswered: () => undefined,
    revoke: async () => {
      recorded.revoked = true;
    },
  };
  return recorded;
}

export interface Going {
  timeoutMs?: number;
  signal?: AbortSignal;
  recorded?: Recorded;
  isolation?: 'thread' | 'process';
}
export const module = (text: string, name = `agents/${Math.random().toString(36).slice(2)}.mjs`): ModuleTarget => ({
  kind: 'module',
  id: 'mod',
  bindings: ['direct', 'http'],
  module: file(name, text),
  export: 'default',
  timeoutMs: 30_000,
});
export const command = (text: string, more: Partial<CommandTarget> = {}): CommandTarget => ({
  kind: 'command',
  id: 'cmd',
  bindings: ['http', 'cli'],
  executable: 'node',
  arguments: [join(root, file(`agents/${Math.random().toString(36).slice(2)}.mjs`, text))],
  environmentFromHost: {},
  timeoutMs: 30_000,
  ...more,
});

export async function run(
  target: Target,
  { timeoutMs = 30_000, signal = new AbortController().signal, recorded = recordedAccess(), isolation = 'thread' }: Going = {},
): Promise<TargetRun> {
  const runner = pools[isolation].runnerFor(target);
  try {
    return await runner.run({ invocation: invocation('one'), access: recorded.access, timeoutMs, signal });
  } finally {
    await runner.release();
  }
}
export const invocation = (interactionId: string) =>
  ({
    schemaVersion: 1,
    runId: 'run_0',
    drillId: 'd',
    interactionId,
    actorId: 'agent',
    task: { instruction: 'do it', input: { n: 1 } },
    virtualTimeUs: 5,
    bindings: { http: { url: 'http://x' } },
  }) as const;
