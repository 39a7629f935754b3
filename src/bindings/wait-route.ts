// POST /v1/wait: one answer, or to a client that asks for them the events of contract/world/agent-binding.ts. A client that goes away ends
// its wait.
import { errorEnvelope } from '../contract/errors.js';
import type { WaitRequest, WaitResponse } from '../contract/world/agent-binding.js';
import { publicError } from '../http/envelope.js';
import { asksForEvents, eventStreamHeaders, withoutSilence } from '../http/event-stream.js';
import type { RouteReply } from '../http/router.js';
import type { RowWork } from '../http/table-routes.js';
import type { AgentAccess } from './agent-access.js';
import type { AskOptions } from './agent-world.js';
import { progressThenEnd } from './progress-stream.js';

type Wait = (options: AskOptions) => Promise<WaitResponse>;

export const answerWait: RowWork<AgentAccess> =
  ({ request, caller, correlationId }) =>
  async (body): Promise<RouteReply> => {
    const { untilUs } = body as WaitRequest;
    const { signal, headers } = request;
    const wait: Wait = async (options) => {
      const waited = await caller.wait(untilUs, { ...options, signal });
      return { schemaVersion: 1, correlationId: waited.correlationId, virtualTimeUs: waited.virtualTimeUs, outcome: waited.outcome };
    };
    if (!asksForEvents(headers)) return { status: 200, body: await wait({}) };
    return { status: 200, headers: eventStreamHeaders, body: withoutSilence(events(wait, correlationId)) };
  };

async function* events(wait: Wait, correlationId: string): AsyncGenerator<string> {
  for await (const step of progressThenEnd((onProgress) => wait({ onProgress }))) {
    if (step.kind === 'progress') yield eventOf('progress', step.progress);
    else if (step.kind === 'done') yield eventOf('result', step.value);
    else yield eventOf('error', errorEnvelope(publicError(step.error), correlationId));
  }
}

const eventOf = (name: string, value: object): string => `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
