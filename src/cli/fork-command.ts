// `drillyard fork <run> --at N`: a world as a stored run stood after entry N, for `drillyard world call` and for agents, until a signal or
// the end of the command behind `--`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import pc from 'picocolors';
import { createBindings } from '../bindings/create-bindings.js';
import { defined } from '../contract/defined.js';
import type { OperationEntry } from '../contract/world/evidence.js';
import { bindingEnvironment } from '../drills/targets/command-environment.js';
import { type ForkedRun, forkRun } from '../index.js';
import { virtualClock } from '../text/virtual-time.js';
import { visibleLine } from '../text/visible-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { abortOnInterrupt } from './interrupt.js';
import { createOutput, type Output } from './output.js';
import { ownCommand } from './own-command.js';
import { withProgressBar } from './progress-bar.js';
import { shellWord } from './shell-word.js';

export interface ForkFlags {
  run: string;
  at: number;
  actor?: string;
  /** What runs with the world in its environment; without one the world stays until a signal. */
  command: readonly string[];
  root: string;
  config?: string;
  runDirectory: string;
  json: boolean;
}

export async function forkCommand({ json, at, command, actor, ...options }: ForkFlags): Promise<ExitCode> {
  const output = createOutput({ json });
  const interrupt = abortOnInterrupt((text) => output.warn(text));
  const bindings = createBindings();
  let forked: ForkedRun | undefined;
  try {
    forked = await withProgressBar('Forking', () => forkRun({ ...options, atSequence: at }));
    const who = actor === undefined ? forked.actor : actorOf(actor);
    const access = await bindings.open({ world: forked.world, ...who, bindings: ['cli', 'http', 'mcp'] });
    const environment = bindingEnvironment({ target: { bindingEnvironment: {} }, access, prefixes: [] });
    await tellReady(forked, { environment, who, hasCommand: command.length > 0 }, output);
    if (command.length > 0) return await runCommand(command, environment);
    await new Promise<void>((stop) => {
      if (interrupt.signal.aborted) stop();
      interrupt.signal.addEventListener('abort', () => stop(), { once: true });
    });
    return exitCodes.passed;
  } catch (error) {
    return reportFailure(error, output, resolve(options.root));
  } finally {
    await bindings.close();
    await forked?.close();
    interrupt.stop();
  }
}

/** `ines`, `ines@night` */
function actorOf(text: string): ForkedRun['actor'] {
  const [actorId = '', actorInstanceId] = text.split('@');
  return { actorId, ...defined({ actorInstanceId }) };
}

interface Ready {
  environment: { [name: string]: string };
  who: ForkedRun['actor'];
  hasCommand: boolean;
}

async function tellReady(
  { runId, atSequence, world, next }: ForkedRun,
  { environment, who, hasCommand }: Ready,
  output: Output,
): Promise<void> {
  const { virtualTimeUs } = await world.query({ kind: 'position' });
  const call = next === undefined ? undefined : { sequence: next.sequence, actorId: next.actorId, ...next.invocation };
  output.line({
    event: 'ready',
    runId,
    atSequence,
    worldInstanceId: world.worldInstanceId,
    virtualTimeUs,
    ...who,
    environment,
    ...defined({ next: call }),
  });
  if (output.json) return;
  // What a command says has stdout for itself.
  const say = hasCommand ? output.warn : output.say;
  say(`${pc.bold(runId)} as it stood after #${atSequence}, at ${virtualClock(virtualTimeUs)}, for ${visibleLine(who.actorId)}.`);
  if (next !== undefined) say(`The agent called next (#${next.sequence}):\n  ${callLine(next)}`);
  if (hasCommand) return;
  const names = ['SERVICE_CLI_URL', 'SERVICE_CLI_TOKEN'];
  say(`\n${names.map((name) => `export ${name}=${environment[name]}`).join('\n')}\n\nCtrl-C ends the world.`);
}

function callLine({ invocation }: OperationEntry): string {
  const { packageId, instanceId, operationId, idempotencyKey } = invocation;
  const flags = [
    ...(instanceId === packageId ? [] : ['--instance', instanceId]),
    ...(idempotencyKey === undefined ? [] : ['--idempotency-key', shellWord(idempotencyKey)]),
  ];
  const words = [
    `${ownCommand(resolve('.'))} world call`,
    packageId,
    operationId,
    shellWord(JSON.stringify(invocation.arguments)),
    ...flags,
  ];
  return visibleLine(words.join(' '));
}

async function runCommand([program = '', ...args]: readonly string[], environment: Ready['environment']): Promise<ExitCode> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  const end = (): void => void child.kill('SIGKILL');
  process.on('exit', end);
  // A terminal sends Ctrl-C to the command itself.
  const passed = ['SIGTERM', 'SIGHUP'] as const;
  const pass = (name: NodeJS.Signals): void => void child.kill(name);
  for (const name of passed) process.on(name, pass);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return (code ?? exitCodes.failed) as ExitCode;
  } finally {
    process.off('exit', end);
    for (const name of passed) process.off(name, pass);
  }
}
