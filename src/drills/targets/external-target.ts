// An external target: the agent that the embedding application gave, called in this process. It gets what a module gets, in the same words.
//   X1. It cannot be ended from outside: when its time is up its access is revoked, its signal is aborted, and it is not waited for.

import { ServiceError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { TargetContext, TargetModule, TargetWorld } from '../../contract/target-invocation.js';
import type { DirectClient } from '../bindings-port.js';
import { runError } from '../run-error.js';
import { Deadline, endedError } from './deadline.js';
import { secretsOf, TargetLog } from './target-log.js';
import { outputTooLarge, parseOutput } from './target-output.js';
import type { AttachedFile, TargetRequest, TargetRun, TargetRunner } from './target-run.js';

export function externalTarget(agent: TargetModule): TargetRunner {
  return { run: (request) => work(agent, request), release: async () => {} };
}

type Outcome = Pick<TargetRun, 'status' | 'output' | 'error'>;

async function work(agent: TargetModule, request: TargetRequest): Promise<TargetRun> {
  const log = new TargetLog(secretsOf(request.access));
  const files: AttachedFile[] = [];
  const abort = new AbortController();
  let giveUp: (outcome: Outcome) => void = () => {};
  const given = new Promise<Outcome>((resolve) => {
    giveUp = resolve;
  });
  const deadline = new Deadline({
    ...request,
    deliver: (ended) => {
      abort.abort(new Error(ended === 'timed_out' ? 'the time is up' : 'the run was cancelled'));
      giveUp({ status: ended, error: endedError(ended) });
    },
  });
  const outcome = await Promise.race([outcomeOf(agent, request, contextOf(request, { log, files, signal: abort.signal })), given]);
  deadline.stop();
  const { ended } = deadline;
  const told: Outcome = ended === undefined ? outcome : { status: ended, error: endedError(ended) };
  // What it says from now on belongs to no run.
  return { ...told, log: log.text(), files: [...files] };
}

async function outcomeOf(agent: TargetModule, { invocation }: TargetRequest, context: TargetContext): Promise<Outcome> {
  let text: string;
  try {
    text = JSON.stringify(await agent(structuredClone(invocation), context)) ?? '';
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: 'failed', error: runError('target.THREW', message === '' ? 'The agent threw.' : message) };
  }
  if (Buffer.byteLength(text) > limits.targetOutputBytesMax) return { status: 'failed', error: outputTooLarge() };
  const output = parseOutput(text);
  if (output.kind === 'invalid') return { status: 'failed', error: output.error };
  return { status: 'completed', ...(output.kind === 'value' ? { output: output.value } : {}) };
}

function contextOf({ access }: TargetRequest, { log, files, signal }: { log: TargetLog; files: AttachedFile[]; signal: AbortSignal }): TargetContext {
  let bytesLeft: number = limits.attachmentBytesMax;
  return {
    signal,
    binding: access.endpoints,
    ...(access.direct === undefined ? {} : { world: worldOf(access.direct) }),
    attach: (name, content, { mediaType } = {}) => {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
      if (files.length >= limits.attachmentsMax) throw new RangeError(`more than ${limits.attachmentsMax} attachments`);
      if (bytes.length > bytesLeft) throw new RangeError(`attachments of more than ${limits.attachmentBytesMax} bytes`);
      bytesLeft -= bytes.length;
      files.push({ name: String(name), mediaType: mediaType ?? (typeof content === 'string' ? 'text/plain' : 'application/octet-stream'), bytes });
    },
    log: (message, fields) => log.append(fields === undefined ? `${message}\n` : `${message} ${JSON.stringify(fields)}\n`),
  };
}

function worldOf(direct: DirectClient): TargetWorld {
  return {
    call: async (packageId, operationId, args = {}, { idempotencyKey, instanceId } = {}) => {
      const call = { packageId: String(packageId), operationId: String(operationId), arguments: plain(args) };
      const key = idempotencyKey === undefined ? {} : { idempotencyKey: String(idempotencyKey) };
      const instance = instanceId === undefined ? {} : { instanceId: String(instanceId) };
      return (await direct.call({ ...call, ...key, ...instance })).outcome;
    },
    tools: () => direct.tools(),
    wait: async (untilUs) => (await direct.wait(untilUs === undefined ? undefined : Number(untilUs))).outcome,
  };
}

/** As it would cross to a module's host: a value of its own, and JSON. */
function plain(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > limits.bodyBytesMax)
    throw new ServiceError('control.PAYLOAD_TOO_LARGE', { message: `The arguments are larger than ${limits.bodyBytesMax} bytes.` });
  return JSON.parse(text) as JsonValue;
}
