// What a module host (a thread or a process) and the attempt say to each other. Plain values; JSON of calls travels as text, made where it
// begins.
import { isRecord } from '../../contract/json.js';
import { type AgentUsage, isUsage } from '../../contract/run/agent-usage.js';
import type { JudgedRun } from '../../contract/run/judge.js';
import type { TargetInvocation } from '../../contract/run/target-invocation.js';
import { type AgentMessage, isAgentMessage } from '../../contract/run/transcript.js';
import type { DirectClient, Endpoint } from '../ports/bindings-port.js';
import type { AskedCall } from './call-arguments.js';
import type { AttachmentRefusal } from './target-run.js';

/** Where a host that is a process has its pipes: file descriptors. What ends the second is the end of who started it. */
export const moduleHostPipe = 3;
export const moduleHostLifeline = 4;

export interface Invoke {
  kind: 'invoke';
  /** What the module says carries it, so that nothing of an earlier interaction is taken for this one's. */
  turn: number;
  /** Of the bundled module. */
  url: string;
  exportName: string;
  /** A module is loaded again for each incarnation, which is an attempt. */
  incarnation: number;
  /** What the export is called with: a task, or a run to judge. */
  invocation: TargetInvocation | JudgedRun;
  endpoints: { readonly [B in 'http' | 'mcp' | 'cli']?: Endpoint };
  direct: boolean;
  environment: { readonly [name: string]: string };
  /** What may be attached by path lies below it. */
  root: string;
}
export type ToHost =
  | Invoke
  /** Time is up: the context's signal aborts. */
  | { kind: 'abort'; reason: 'timed_out' | 'cancelled' }
  | { kind: 'answer'; id: number; answer: CallAnswer }
  /** The attempt is over: the host says whether it may be used again. */
  | { kind: 'endIncarnation' };

export type WorldRequest =
  | { method: 'tools' }
  | ({ method: 'call' } & AskedCall)
  | { method: 'wait'; untilUs?: number }
  | { method: 'receive'; receiverId: string; url: string; secret: string };
export type CallAnswer =
  | { ok: true; value: Awaited<ReturnType<DirectClient['call' | 'wait' | 'tools']>> | null }
  | { ok: false; code: string; message: string };

export type FromHost =
  | { kind: 'call'; turn: number; id: number; request: WorldRequest }
  /** `isCut`: more was said at once. */
  | { kind: 'log'; text: string; isCut: boolean }
  | { kind: 'message'; turn: number; message: AgentMessage }
  | { kind: 'usage'; turn: number; usage: AgentUsage }
  | { kind: 'attach'; turn: number; file: { name: string; mediaType: string; bytes: Uint8Array } }
  | { kind: 'refused'; turn: number; refusal: AttachmentRefusal }
  | { kind: 'done'; outputText: string }
  | { kind: 'failed'; code: ModuleFailure; message: string; stack: string }
  /** `idle`: nothing of the attempt runs. */
  | { kind: 'lifeEnded'; idle: boolean };
export type ModuleFailure = 'target.LOAD_FAILED' | 'target.THREW' | 'target.OUTPUT_INVALID' | 'target.OUTPUT_TOO_LARGE';

/** What comes from where an agent runs may be anything. */
export function isFromHost(message: unknown): message is FromHost {
  if (!isRecord(message)) return false;
  const { turn, id, text, file, refusal, request } = message;
  switch (message.kind) {
    case 'call':
      return isNumber(turn) && isNumber(id) && isWorldRequest(request);
    case 'log':
      return isText(text) && typeof message.isCut === 'boolean';
    case 'message':
      return isNumber(turn) && isAgentMessage(message.message);
    case 'usage':
      return isNumber(turn) && isUsage(message.usage);
    case 'attach':
      return isNumber(turn) && isRecord(file) && isText(file.name) && isText(file.mediaType) && file.bytes instanceof Uint8Array;
    case 'refused':
      return isNumber(turn) && isRecord(refusal) && isText(refusal.code) && isText(refusal.message);
    case 'done':
      return isText(message.outputText);
    case 'failed':
      return failures.has(message.code) && isText(message.message) && isText(message.stack);
    default:
      return message.kind === 'lifeEnded' && typeof message.idle === 'boolean';
  }
}

const failures = new Set<unknown>([
  'target.LOAD_FAILED',
  'target.THREW',
  'target.OUTPUT_INVALID',
  'target.OUTPUT_TOO_LARGE',
] satisfies ModuleFailure[]);

/** Its other members are checked as those of any request, when it is made. */
function isWorldRequest(request: unknown): boolean {
  if (!isRecord(request)) return false;
  return request.method === 'call' ? isText(request.argumentsText) : ['tools', 'wait', 'receive'].includes(request.method as string);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
