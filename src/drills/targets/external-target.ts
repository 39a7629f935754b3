// An external target: the agent that the embedding application gave, called in this process. It gets what a module gets, in the same words.
//   EXTERNAL-TARGET-1. It cannot be ended from outside: when its time is up its access is revoked, its signal is aborted, and it is not
//     waited for.
import type { JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import { type AgentUsage, requireUsage, sumUsage } from '../../contract/run/agent-usage.js';
import { ExternalResult } from '../../contract/run/target-completion.js';
import type { TargetContext, TargetModule, TargetWorld } from '../../contract/run/target-invocation.js';
import { requireAgentMessage } from '../../contract/run/transcript.js';
import type { DirectClient } from '../ports/bindings-port.js';
import { runError } from '../ports/run-error.js';
import { Attachments } from './attachments.js';
import { askedCall, askedReceiver, askedWait } from './call-arguments.js';
import { completedRun } from './completion.js';
import { Deadline } from './deadline.js';
import type { TargetKind, TargetWork } from './target-kind.js';
import { TargetLog } from './target-log.js';
import { readOutput } from './target-output.js';
import type { TargetRun } from './target-run.js';
import { wordsOf } from './thrown.js';

/** `root`: what may be attached by path lies below it. */
export function externalTarget(agent: TargetModule, root: string): TargetKind {
  return { run: (work) => workOn(agent, work, root), release: async () => {} };
}

type Outcome = Pick<TargetRun, 'status' | 'output' | 'error'> & { whole?: TargetRun };

async function workOn(agent: TargetModule, work: TargetWork, root: string): Promise<TargetRun> {
  const log = new TargetLog(work.redactor, work.say);
  const attachments = new Attachments(root);
  const meter: { usage?: AgentUsage } = {};
  const abort = new AbortController();
  let giveUp: (outcome: Outcome) => void = () => {};
  const given = new Promise<Outcome>((resolve) => {
    giveUp = resolve;
  });
  const deadline = new Deadline({
    ...work,
    deliver: (ended) => {
      abort.abort(new Error(ended === 'timed_out' ? 'the time is up' : 'the run was cancelled'));
      giveUp({ status: ended, error: deadline.error() });
    },
  });
  const { whole, ...outcome } = await Promise.race([
    outcomeOf(agent, work, contextOf(work, { log, attachments, meter, signal: abort.signal })),
    given,
  ]);
  deadline.stop();
  const { ended } = deadline;
  if (ended === undefined && whole !== undefined) return { ...meter, ...whole };
  const result = ended === undefined ? outcome : { status: ended, error: deadline.error(log.tail()) };
  // What it says from now on belongs to no run.
  return { ...result, ...meter, ...log.kept(), files: [...attachments.files], refusals: [...attachments.refusals] };
}

async function outcomeOf(agent: TargetModule, { invocation, redactor }: TargetWork, context: TargetContext): Promise<Outcome> {
  let value: unknown;
  try {
    value = await agent(structuredClone(invocation), context);
  } catch (error) {
    const { message, stack } = wordsOf(error);
    const words = stack.split('\n').slice(0, limits.targetTailLinesMax).join('\n');
    const log = redactor.beginning(words, limits.targetErrorCharsMax).text;
    return { status: 'failed', error: runError('target.THREW', message === '' ? 'The agent threw.' : message, { details: { log } }) };
  }
  if (value instanceof ExternalResult) {
    const whole = completedRun(value.completion, redactor.and(value.secrets));
    return { status: whole.status, whole };
  }
  const output = readOutput(value, redactor);
  if (output.kind === 'invalid') return { status: 'failed', error: output.error };
  return { status: 'completed', ...(output.kind === 'value' ? { output: output.value } : {}) };
}

interface ContextParts {
  log: TargetLog;
  attachments: Attachments;
  meter: { usage?: AgentUsage };
  signal: AbortSignal;
}
function contextOf({ access, environment }: TargetWork, { log, attachments, meter, signal }: ContextParts): TargetContext {
  return {
    signal,
    binding: access.endpoints,
    environment,
    ...(access.direct === undefined ? {} : { world: worldOf(access.direct) }),
    attach: (name, content, { mediaType } = {}) => {
      try {
        const file = attachments.admit({ name, content, mediaType });
        attachments.files.push({ ...file, bytes: new Uint8Array(file.bytes) });
      } catch (error) {
        attachments.refuse(error);
        throw error;
      }
    },
    usage: (used) => Object.assign(meter, { usage: sumUsage([meter.usage, requireUsage(used)]) }),
    message: (message) => log.message(requireAgentMessage(message)),
    log: (message, fields) => log.append(fields === undefined ? `${message}\n` : `${message} ${JSON.stringify(fields)}\n`),
  };
}

function worldOf(direct: DirectClient): TargetWorld {
  return {
    call: async (packageId, operationId, args = {}, options = {}) => {
      const { argumentsText, ...call } = askedCall(packageId, operationId, args, options);
      // As it would cross to a module's host: a value of its own.
      return (await direct.call({ ...call, arguments: JSON.parse(argumentsText) as JsonValue })).outcome;
    },
    tools: () => direct.tools(),
    wait: async (untilUs) => (await direct.wait(askedWait(untilUs).untilUs)).outcome,
    receive: async (receiver, target) => {
      const { receiverId, ...at } = askedReceiver(receiver, target);
      await direct.receive(receiverId, at);
    },
  };
}
