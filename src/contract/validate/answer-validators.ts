// Whether what a world's host sent is an answer to what it was asked. Asked of hosts in processes of their own: tool code that took such a
// process over could send anything, and the reader of an answer believes its type. What becomes a reply to a client is held to the rules of
// codecs too.
import typia, { type tags } from 'typia';
import type { DeliveryRequest } from '../world/delivery-request.js';
import { mayDeliver, maySend } from '../world/message-rules.js';
import type { AdvanceProgress, StartDelivery, WorldAnswers, WorldPosition } from '../world/world-protocol.js';

type ForkAnswer = { worldInstanceId: string; position: WorldPosition };
type PackedScheduleAnswer = { tag: string & tags.MaxLength<64>; firstOrdinal: number & tags.Type<'uint32'> };
type Fits = (answer: unknown, message?: unknown) => boolean;

const isRouteResult = typia.createIs<WorldAnswers['callRoute']>();
const isRefusalResult = typia.createIs<WorldAnswers['refuseRequest']>();
const isDelivery = typia.createIs<WorldAnswers['startDelivery']>();

const fits: { readonly [Kind in keyof WorldAnswers]: Fits } & { readonly fork: Fits; readonly packedSchedule: Fits } = {
  call: typia.createIs<WorldAnswers['call']>(),
  callRoute: (answer) => isRouteResult(answer) && ((answer.kind !== 'answered' && answer.kind !== 'answered_each') || maySend(answer)),
  refuseRequest: (answer) => isRefusalResult(answer) && (answer.kind !== 'worded' || maySend(answer)),
  advance: typia.createIs<WorldAnswers['advance']>(),
  wait: typia.createIs<WorldAnswers['wait']>(),
  startDelivery: (answer, message) => isDelivery(answer) && (answer.request === undefined || isAskedFor(answer.request, message)),
  settleDelivery: typia.createIs<WorldAnswers['settleDelivery']>(),
  setFault: typia.createIs<WorldAnswers['setFault']>(),
  schedule: typia.createIs<WorldAnswers['schedule']>(),
  cancelEvent: typia.createIs<WorldAnswers['cancelEvent']>(),
  setOverrides: typia.createIs<WorldAnswers['setOverrides']>(),
  reset: typia.createIs<WorldAnswers['reset']>(),
  snapshot: typia.createIs<WorldAnswers['snapshot']>(),
  deleteSnapshot: typia.createIs<WorldAnswers['deleteSnapshot']>(),
  verify: typia.createIs<WorldAnswers['verify']>(),
  setBudgets: typia.createIs<WorldAnswers['setBudgets']>(),
  close: typia.createIs<WorldAnswers['close']>(),
  position: typia.createIs<WorldAnswers['position']>(),
  state: typia.createIs<WorldAnswers['state']>(),
  row: typia.createIs<WorldAnswers['row']>(),
  namespaces: typia.createIs<WorldAnswers['namespaces']>(),
  evidence: typia.createIs<WorldAnswers['evidence']>(),
  evidenceLines: typia.createIs<WorldAnswers['evidenceLines']>(),
  pending: typia.createIs<WorldAnswers['pending']>(),
  faults: typia.createIs<WorldAnswers['faults']>(),
  actors: typia.createIs<WorldAnswers['actors']>(),
  tools: typia.createIs<WorldAnswers['tools']>(),
  operations: typia.createIs<WorldAnswers['operations']>(),
  routes: typia.createIs<WorldAnswers['routes']>(),
  budgets: typia.createIs<WorldAnswers['budgets']>(),
  checkTools: typia.createIs<WorldAnswers['checkTools']>(),
  throws: typia.createIs<WorldAnswers['throws']>(),
  storage: typia.createIs<WorldAnswers['storage']>(),
  fork: typia.createIs<ForkAnswer>(),
  packedSchedule: typia.createIs<PackedScheduleAnswer>(),
};
const isProgress: Fits = typia.createIs<AdvanceProgress>();

/** `message`: a command or query of a world, a fork, or events that are packed. */
export function worldAnswerFits(message: unknown, answer: unknown, as: 'reply' | 'progress'): boolean {
  if (as === 'progress') return isProgress(answer);
  const { kind } = message as { kind: keyof typeof fits };
  return Object.hasOwn(fits, kind) && fits[kind](answer, message);
}

/** For one of the receivers that were named. */
function isAskedFor(request: DeliveryRequest, message: unknown): boolean {
  return (message as StartDelivery).receivers.includes(request.receiverId) && mayDeliver(request);
}
