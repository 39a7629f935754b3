// Entry of a module host, thread or process: loads a target's module once an incarnation and runs one invocation at a time.
// It holds no token and no world, only messages: the other side decides what is allowed.
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { parentPort, Worker } from 'node:worker_threads';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { requireUsage } from '../../contract/run/agent-usage.js';
import type { TargetContext, TargetWorld } from '../../contract/run/target-invocation.js';
import { type AgentMessage, requireAgentMessage } from '../../contract/run/transcript.js';
import type { CallResult, ToolCatalogItem, WaitResult } from '../../contract/world/world-protocol.js';
import { importModule, keepCompiled } from '../../loading/own-code.js';
import { cloneCodec, FramedChannel } from '../../processes/framed-channel.js';
import { AttachmentRefused, Attachments } from './attachments.js';
import { askedCall, askedReceiver, askedWait } from './call-arguments.js';
import { closeFetchConnections, isFetchName } from './fetch-connections.js';
import { captureOutput } from './module-output.js';
import {
  type CallAnswer,
  type FromHost,
  type Invoke,
  type ModuleFailure,
  moduleHostLifeline,
  moduleHostPipe,
  type ToHost,
  type WorldRequest,
} from './module-protocol.js';
import { outputText, outputTooLarge } from './target-output.js';
import { wordsOf } from './thrown.js';

/** Of a process, which has no port; it ends when the process that started it is gone. */
const leave = (): never => process.exit();
const channel =
  parentPort === null
    ? new FramedChannel(
        new Socket({ fd: moduleHostPipe, readable: true, writable: true }),
        { codec: cloneCodec, messageBytesMax: limits.moduleMessageBytesMax },
        { message: (message) => receive(message as ToHost), violation: leave, closed: leave },
      )
    : undefined;
// A thread hears it however busy the module keeps this one.
if (parentPort === null) {
  const watch = `new (require('node:net').Socket)({ fd: ${moduleHostLifeline} }).on('error', () => {}).on('close', () => process.kill(process.pid, 'SIGKILL')).resume();`;
  new Worker(watch, { eval: true, execArgv: [] }).unref();
}
const send = (message: FromHost): void => (channel === undefined ? parentPort?.postMessage(message) : channel.send(message));

/** A target's module, or a judge's, whose context has less. */
type Called = (invocation: Invoke['invocation'], context: TargetContext) => unknown;

type Exported = Record<string, unknown>;

let abort = new AbortController();
let loaded: { incarnation: number; module: Promise<Exported> } | undefined;
let lastCall = 0;
/** What the invocation may still say: a target that floods its log must not flood its attempt's memory. */
let logCharsLeft = 0;
const waiting = new Map<number, (answer: CallAnswer) => void>();

captureOutput(say);
// What escapes from timers and forgotten promises: reported as the failure of the invocation that runs, and the host is not used again.
process.on('uncaughtException', (error) => fail('target.THREW', error));
process.on('unhandledRejection', (reason) => fail('target.THREW', reason));
process.setSourceMapsEnabled(true);

const receive = (message: ToHost): void => {
  if (message.kind === 'invoke') void invoke(message);
  else if (message.kind === 'abort') abort.abort(new Error(message.reason === 'timed_out' ? 'the time is up' : 'the run was cancelled'));
  else if (message.kind === 'answer') settle(message.id, message.answer);
  else void endIncarnation();
};
parentPort?.on('message', receive);
/** Before any module was loaded. Not while this one is: the loader has listeners of its own meanwhile. */
let untouched: string | undefined;

async function invoke(message: Invoke): Promise<void> {
  untouched ??= surroundings();
  abort = new AbortController();
  logCharsLeft = 2 * limits.targetLogBytesMax;
  const target = await load(message);
  if (target === undefined) return;
  let output: unknown;
  try {
    output = await target(message.invocation, contextOf(message));
  } catch (error) {
    fail('target.THREW', error);
    return;
  }
  const written = outputText(output);
  if (written.kind === 'text') send({ kind: 'done', outputText: written.text });
  else if (written.kind === 'too_large')
    send({ kind: 'failed', code: 'target.OUTPUT_TOO_LARGE', message: outputTooLarge().message, stack: '' });
  else send({ kind: 'failed', code: 'target.OUTPUT_INVALID', message: written.message, stack: '' });
}

async function load({ url, exportName, incarnation }: Invoke): Promise<Called | undefined> {
  try {
    // The query makes it another module to the loader, with state of its own.
    if (loaded?.incarnation !== incarnation)
      loaded = { incarnation, module: importModule(`${url}?incarnation=${incarnation}`) as Promise<Exported> };
    const module = await loaded.module;
    const exported = module[exportName];
    if (typeof exported !== 'function') throw new TypeError(noSuchExport(module, exportName));
    return exported as Called;
  } catch (error) {
    fail('target.LOAD_FAILED', error);
    return undefined;
  }
}

function noSuchExport(module: Exported, exportName: string): string {
  const none = `the module has no function exported as "${exportName}"`;
  const there = Object.keys(module).filter((name) => typeof module[name] === 'function' && name !== 'module.exports');
  const named = there.slice(0, limits.shownExportsMax).map((name) => `"${name}"`);
  return named.length === 0 ? none : `${none}; it has ${named.join(', ')}, which the member "export" can name`;
}

function contextOf({ endpoints, direct, environment, root, turn }: Invoke): TargetContext {
  const attachments = new Attachments(root);
  return {
    signal: abort.signal,
    binding: endpoints,
    environment,
    ...(direct ? { world: directWorld(turn) } : {}),
    attach: (name, content, { mediaType } = {}) => {
      try {
        const { bytes, ...file } = attachments.admit({ name, content, mediaType });
        // Of its own, as the agent may change what it gave.
        send({ kind: 'attach', turn, file: { ...file, bytes: new Uint8Array(bytes) } });
      } catch (error) {
        if (error instanceof AttachmentRefused) send({ kind: 'refused', turn, refusal: { code: error.code, message: error.message } });
        throw error;
      }
    },
    usage: (used) => send({ kind: 'usage', turn, usage: requireUsage(used) }),
    message: (message) => tell(turn, requireAgentMessage(message)),
    log: (message, fields) => say(fields === undefined ? `${message}\n` : `${message} ${JSON.stringify(fields)}\n`),
  };
}

const directWorld = (turn: number): TargetWorld => ({
  call: async (packageId, operationId, args = {}, options = {}) =>
    ((await ask(turn, { method: 'call', ...askedCall(packageId, operationId, args, options) })) as CallResult).outcome,
  tools: async () => (await ask(turn, { method: 'tools' })) as ToolCatalogItem[],
  wait: async (untilUs) => ((await ask(turn, { method: 'wait', ...askedWait(untilUs) })) as WaitResult).outcome,
  receive: async (receiverId, target) => void (await ask(turn, { method: 'receive', ...askedReceiver(receiverId, target) })),
});

async function ask(turn: number, request: WorldRequest): Promise<unknown> {
  // As many as a world lets wait: what an agent does not wait for must not fill the memory of the run.
  if (waiting.size >= limits.mailboxMessagesMax)
    throw new ServiceError('control.WORLD_BUSY', { message: 'Too many calls wait for their answer.' });
  const id = ++lastCall;
  const answer = await new Promise<CallAnswer>((resolve) => {
    waiting.set(id, resolve);
    send({ kind: 'call', turn, id, request });
  });
  if (answer.ok) return answer.value;
  throw Object.assign(new Error(answer.message), { code: answer.code });
}

function settle(id: number, answer: CallAnswer): void {
  waiting.get(id)?.(answer);
  waiting.delete(id);
}

function fail(code: ModuleFailure, thrown: unknown): void {
  const { message, stack } = wordsOf(thrown);
  // Frames of this file say nothing about the agent.
  const frames = stack.split('\n').filter((line) => !line.includes(import.meta.url));
  const { targetErrorCharsMax, targetLogBytesMax } = limits;
  // A little more than is kept, so that a secret at the cut is still known for one.
  send({ kind: 'failed', code, message: message.slice(0, 2 * targetErrorCharsMax), stack: frames.join('\n').slice(0, targetLogBytesMax) });
}

/**
 * What of this thread a module may change for those after it, and is cheap to check: global names, the environment, listeners of the
 * process.
 */
function surroundings(): string {
  const listeners = process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`);
  const names = Reflect.ownKeys(globalThis).filter((name) => !isFetchName(name));
  return JSON.stringify([names.map(String), process.env, listeners]);
}

/** Before a host serves another attempt nothing of this one may run, no timer, no socket, no call, and nothing of it may be left. */
async function endIncarnation(): Promise<void> {
  loaded = undefined;
  // The connection of a response that has just been read is at rest a moment later.
  await setImmediate();
  const kept = new Set(['MessagePort', 'PipeWrap', 'Pipe', 'TTYWrap', 'FSReqCallback']);
  const isAtRest = waiting.size === 0 && process.getActiveResourcesInfo().every((resource) => kept.has(resource));
  if (isAtRest) await closeFetchConnections();
  keepCompiled();
  send({ kind: 'lifeEnded', idle: isAtRest && surroundings() === untouched });
}

function tell(turn: number, { role, content }: AgentMessage): void {
  if (logCharsLeft <= 0) return;
  // A little more than is kept, so that a secret at the cut is still known for one.
  send({ kind: 'message', turn, message: { role, content: content.slice(0, 2 * limits.transcriptTextCharsMax) } });
  logCharsLeft -= content.length + limits.transcriptLineCharsCost;
}

function say(text: string): void {
  if (logCharsLeft <= 0) return;
  send({ kind: 'log', text: text.slice(0, logCharsLeft), isCut: text.length > logCharsLeft });
  logCharsLeft -= text.length;
}
