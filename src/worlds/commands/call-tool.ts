// One tool call, from question to entry. An actor that the world does not have is refused, and leaves no entry. Else the order of the
// checks is the order in which they are listed (docs/decisions/015), and a denied call with a key repeats what was kept of its denial:
// operation and instance, token, grant, arguments (with the key), budget, receipt, override, fault before, bytes that it brings, handler,
// output, cascade, latency, fault after commit, and of a reply that streams the fault that cuts it.
import type { JsonValue } from '../../contract/json.js';
import { admitJson, JsonRefusal } from '../../contract/json-check.js';
import { limits } from '../../contract/limits.js';
import { hasEffect, type OperationEntry, type ToolOutcome } from '../../contract/world/evidence.js';
import { type TokenFault, tokenFaults } from '../../contract/world/minted-tokens.js';
import type { ToolFault } from '../../contract/world/tool-manifest.js';
import type { OfferedBlob } from '../../contract/world/wire.js';
import type { CallResult, CallTool } from '../../contract/world/world-protocol.js';
import type { LoadedOperation, LoadedTool } from '../../tools/loaded-tool.js';
import type { EntryDraft } from '../journal/entry-draft.js';
import { inheritedId, mintedId } from '../kv/minted-ids.js';
import { isGranted } from '../turn/grants.js';
import { brokenSchema, dispatchError, handlerFailure, refusal } from '../turn/outcomes.js';
import type { ScopedRule } from '../turn/overrides.js';
import type { Persona } from '../turn/program.js';
import { findDenial, findReplay, isKept, type KeyedCall, keepDenial, keepReceipt, type ReplayedCall } from '../turn/receipt-rules.js';
import { invalidRequest, type Simulation } from '../turn/simulation.js';
import { takeOffered } from '../turn/turn-blobs.js';
import { clockKey } from '../turn/world-meta.js';

/** A call as it goes down the list. */
interface Call {
  readonly packageId: string;
  readonly instanceId: string;
  readonly operationId: string;
  readonly persona: Persona;
  readonly tag: string;
  /** Of its operation entry. */
  readonly sequence: number;
  readonly idempotencyKey: string | undefined;
  readonly input: AdmittedInput;
  readonly via: CallVia;
}
/** What a call brings that comes by a wire route. */
export interface CallVia {
  readonly blobs?: readonly OfferedBlob[] | undefined;
  /** The reply is a stream of events. */
  readonly streams?: boolean | undefined;
}
type OperationDraft = Extract<EntryDraft, { kind: 'operation' }>;
type AdmittedInput = { value: JsonValue; text: string; refusal: string | undefined };
interface Answer {
  outcome: ToolOutcome;
  idempotency?: OperationEntry['idempotency'];
  replayed?: ReplayedCall;
  override?: ScopedRule;
  committedOutcome?: ToolOutcome;
  fired?: readonly ToolFault[];
}

/** Throws control.INVALID_REQUEST for an actor that the world does not have, and for names that no entry can hold. */
export function callTool(simulation: Simulation, command: CallTool): CallResult {
  return callVia(simulation, command, {}).result;
}

export interface ViaResult {
  result: CallResult;
  /** Of its events the caller is sent so many. */
  cutAfter: number | undefined;
  /** Of a call that repeats an earlier one by its key: that one's. */
  replayedCallId: string | undefined;
}
export function callVia(simulation: Simulation, command: CallTool, via: CallVia): ViaResult {
  const persona = simulation.persona(command);
  requireText(command);
  const { turn, storage } = simulation;
  turn.begin(persona);
  const sequence = storage.journal.reserve();
  storage.journal.causeSequence = sequence;
  const { packageId, instanceId = packageId, operationId, idempotencyKey } = command;
  const input = admitArguments(simulation.program.tools.get(packageId), command.arguments);
  const call: Call = { packageId, instanceId, operationId, persona, tag: storage.tag, sequence, idempotencyKey, input, via };
  const answer = decide(simulation, call, command.tokenFault);
  storage.journal.fill(sequence, operationEntry(call, answer));
  recordFaults(simulation, call, answer.fired ?? []);
  const correlationId = turn.correlationId;
  turn.end();
  const result: CallResult = { callId: mintedId('call_', storage.tag, sequence), correlationId, outcome: answer.outcome, sequence };
  if (storage.outbox.hasDue(simulation.clock.nowUs)) result.deliveriesDue = true;
  const cut = answer.fired?.find(({ timing }) => timing === 'stream');
  const { replayed } = answer;
  const replayedCallId = replayed && (replayed.isInherited ? inheritedId : mintedId)('call_', storage.tag, replayed.sequence);
  return { result, cutAfter: cut?.stream?.afterEvents, replayedCallId };
}

/** What is called stands in the entry, whether it is there or not. */
function requireText({ packageId, instanceId, operationId, idempotencyKey }: CallTool): void {
  if ([packageId, instanceId, operationId, idempotencyKey].join(' ').isWellFormed()) return;
  throw invalidRequest('What is called, and its key, are text without half of a surrogate pair.');
}

function decide(simulation: Simulation, call: Call, tokenFault: TokenFault | undefined): Answer {
  const tool = simulation.program.tools.get(call.packageId);
  const operation = tool?.operations.get(call.operationId);
  if (tool === undefined || operation === undefined || !simulation.program.hasInstance(call.packageId, call.instanceId))
    return { outcome: unsupported(call) };
  if (tokenFault !== undefined) return { outcome: refusal('denied', tokenFault, tokenFaults[tokenFault]) };
  if (!isGranted(call.persona.actor, call)) return denied(simulation, call, operation);
  const invalid = checkArguments(operation, call);
  if (invalid !== undefined) return { outcome: invalid };
  if (!spendToolCall(simulation))
    return { outcome: refusal('denied', 'TOOL_CALL_BUDGET_EXHAUSTED', 'The budget of tool calls is used up.') };
  const keyed = keyedCall(operation, call);
  const replay = keyed && findReplay(simulation.storage, keyed);
  if (replay?.kind === 'reused')
    return { outcome: refusal('invalid', 'IDEMPOTENCY_KEY_REUSED', 'The idempotency key was used with other arguments.') };
  if (replay?.kind === 'replay') return { outcome: replay.outcome, idempotency: 'replayed', replayed: replay.of };
  const answer = overridden(simulation, call) ?? perform(simulation, { call, tool, operation });
  if (keyed === undefined) return answer;
  const first = answer.committedOutcome ?? answer.outcome;
  const keeps = isKept(first);
  if (keeps) keepReceipt(simulation.storage, keyed, first, call.sequence);
  return { ...answer, idempotency: keeps ? 'recorded' : 'not_recorded' };
}

/** Once for a call that is sent again with its key. */
function denied({ storage }: Simulation, call: Call, operation: LoadedOperation): Answer {
  const outcome = refusal('denied', 'NOT_GRANTED', `The actor has no grant for '${call.packageId}/${call.operationId}'.`);
  const keyed = isKey(call.idempotencyKey) && call.input.refusal === undefined ? keyedCall(operation, call) : undefined;
  if (keyed === undefined) return { outcome };
  const { id: actorId, instanceId: actorInstanceId } = call.persona.actor;
  const replay = findDenial(storage, { ...keyed, actorId, actorInstanceId });
  if (replay.kind === 'replay') return { outcome: replay.outcome, idempotency: 'replayed', replayed: replay.of };
  if (replay.kind === 'reused') return { outcome };
  keepDenial(storage, { ...keyed, actorId, actorInstanceId }, outcome, call.sequence);
  return { outcome, idempotency: 'recorded' };
}

const isKey = (key: string | undefined): boolean => key === undefined || (key !== '' && key.length <= limits.toolIdempotencyKeyCharsMax);

/** An override's `original` runs the tool as if there were none, and is evidence all the same. */
function overridden(simulation: Simulation, call: Call): Answer | undefined {
  if (simulation.overrides.isEmpty) return undefined;
  const { persona, input, packageId, instanceId, operationId } = call;
  const override = simulation.overrides.take({ packageId, instanceId, operationId, ...persona.name, arguments: input.value });
  if (override === undefined) return undefined;
  const { outcome } = override.rule;
  if (outcome.kind === 'return') return { override, outcome: { kind: 'ok', value: outcome.value } };
  if (outcome.kind === 'error') {
    const { code, message, retryable = false } = outcome;
    return { override, outcome: { kind: 'tool_error', error: { code, message, retryable } } };
  }
  const tool = simulation.program.tools.get(call.packageId) as LoadedTool;
  return { ...perform(simulation, { call, tool, operation: tool.operations.get(call.operationId) as LoadedOperation }), override };
}

function perform(simulation: Simulation, { call, tool, operation }: { call: Call; tool: LoadedTool; operation: LoadedOperation }): Answer {
  const { operationId } = call;
  const firing = (timing: ToolFault['timing'], first: boolean) =>
    simulation.faults.firing(tool, call, { target: operationId, timing, first, nowUs: simulation.clock.nowUs });
  const [before] = firing('before', true);
  if (before !== undefined) return { outcome: faultOutcome(before), fired: [before] };
  const outcome = runHandler(simulation, call, operation);
  // What faults draw from here on follows from the call, and not from an event that it has emitted.
  simulation.storage.journal.causeSequence = call.sequence;
  const late = firing('latency', false);
  const [lost] = hasEffect(outcome) ? firing('after_commit', true) : [];
  const cut = outcome.kind === 'ok' && lost === undefined && call.via.streams === true ? firing('stream', true) : [];
  if (lost === undefined) return { outcome, fired: [...late, ...cut] };
  return { outcome: faultOutcome(lost), committedOutcome: outcome, fired: [...late, lost] };
}

function runHandler(simulation: Simulation, call: Call, operation: LoadedOperation): ToolOutcome {
  const { turn, dispatcher, storage } = simulation;
  turn.source = { kind: 'operation', operationId: call.operationId, sequence: call.sequence };
  const tooMuch = takeOffered(storage, call.via.blobs ?? [], call.input.text);
  if (tooMuch !== undefined) return undone(simulation, call, handlerFailure(tooMuch, operation));
  const returned = dispatcher.instance(call.packageId, call.instanceId).call(call.operationId, call.input.value);
  const outcome: ToolOutcome = returned.kind === 'value' ? { kind: 'ok', value: returned.value } : handlerFailure(returned, operation);
  if (!hasEffect(outcome)) return undone(simulation, call, outcome);
  const issues = returned.kind === 'value' ? operation.validateOutput(returned.value) : null;
  if (issues !== null) return undone(simulation, call, brokenSchema('tool_error', 'HANDLER_FAILED', 'results', issues));
  const failure = dispatcher.cascade();
  if (failure === undefined) return outcome;
  const { code, message } = dispatchError(failure);
  return undone(simulation, call, refusal('tool_error', 'HANDLER_FAILED', message, { code }));
}

/** Takes the handler's effects back; the call's own entry stands where it stood. */
function undone({ turn, storage }: Simulation, { sequence }: Call, outcome: ToolOutcome): ToolOutcome {
  turn.rollback();
  storage.journal.reserve();
  turn.recordDrawsAgain(sequence);
  return outcome;
}

function checkArguments(operation: LoadedOperation, { input, idempotencyKey }: Call): ToolOutcome | undefined {
  if (input.refusal !== undefined) return refusal('invalid', 'INVALID_ARGUMENTS', `The arguments are no JSON: ${input.refusal}.`);
  const issues = operation.validateInput(input.value);
  if (issues !== null) return brokenSchema('invalid', 'INVALID_ARGUMENTS', 'arguments', issues);
  if (operation.operation.idempotency === 'required' && idempotencyKey === undefined) {
    return refusal('invalid', 'IDEMPOTENCY_KEY_REQUIRED', 'The operation needs an idempotency key.');
  }
  if (!isKey(idempotencyKey)) {
    return refusal('invalid', 'IDEMPOTENCY_KEY_INVALID', `An idempotency key has 1 to ${limits.toolIdempotencyKeyCharsMax} characters.`);
  }
  return undefined;
}

function spendToolCall({ usage, budgets: { maxToolCalls } }: Simulation): boolean {
  usage.toolCallsAttempted++;
  if (maxToolCalls === null || usage.toolCallsAttempted - usage.toolCallsRejected <= maxToolCalls) return true;
  usage.toolCallsRejected++;
  return false;
}

function keyedCall({ operation }: LoadedOperation, { idempotencyKey, input, ...target }: Call): KeyedCall | undefined {
  if (idempotencyKey === undefined || operation.idempotency === 'none') return undefined;
  return { ...target, idempotencyKey, argumentsText: input.text };
}

function admitArguments(tool: LoadedTool | undefined, given: JsonValue): AdmittedInput {
  try {
    const { value, text } = tool === undefined ? admitJson(given) : tool.realm.admit(given);
    return { value, text, refusal: undefined };
  } catch (error) {
    if (!(error instanceof JsonRefusal)) throw error;
    return { value: null, text: 'null', refusal: error.message };
  }
}

function unsupported({ packageId, instanceId, operationId }: Call): ToolOutcome {
  return refusal(
    'unsupported',
    'UNKNOWN_OPERATION',
    `There is no operation '${packageId}/${operationId}'${instanceId === packageId ? '' : ` at '${instanceId}'`}.`,
  );
}
function faultOutcome({ id, error }: ToolFault): ToolOutcome {
  return { kind: 'tool_error', error: { ...(error ?? { code: 'UNAVAILABLE', message: `Fault '${id}'.`, retryable: true }) } };
}

function operationEntry(call: Call, answer: Answer): OperationDraft {
  const { packageId, instanceId, operationId, idempotencyKey, sequence, persona, input } = call;
  const { outcome, override, idempotency = idempotencyKey === undefined ? 'not_requested' : 'not_recorded' } = answer;
  const invocation = { callId: mintedId('call_', call.tag, sequence), packageId, instanceId, operationId, arguments: input.value };
  const entry: OperationDraft = {
    kind: 'operation',
    invocation: idempotencyKey === undefined ? invocation : { ...invocation, idempotencyKey },
    actorId: persona.actor.id,
    outcome,
    idempotency,
  };
  if (persona.actor.instanceId !== undefined) entry.actorInstanceId = persona.actor.instanceId;
  if (answer.committedOutcome !== undefined) entry.committedOutcome = answer.committedOutcome;
  if (answer.replayed?.isInherited === false) entry.replayedFromSequence = answer.replayed.sequence;
  if (override !== undefined) entry.toolOverride = { scope: override.scope, id: override.rule.id, outcome: override.rule.outcome.kind };
  return entry;
}

/** Latency moves the clock: what becomes due by it fires at the next advance, not inside the call. */
function recordFaults({ storage, clock, counters }: Simulation, call: Call, fired: readonly ToolFault[]): void {
  const { packageId, instanceId, operationId, sequence } = call;
  for (const { id: faultId, timing, latencyUs = 0, stream } of fired) {
    const entry = { kind: 'fault' as const, packageId, instanceId, faultId, operationId, timing, causeSequence: sequence };
    const more = timing === 'latency' ? { latencyUs } : stream === undefined ? {} : { afterEvents: stream.afterEvents };
    const causeSequence = storage.journal.draft({ ...entry, ...more });
    if (timing !== 'latency') continue;
    const fromUs = clock.nowUs;
    if (!clock.advanceTo(Math.min(fromUs + latencyUs, Number.MAX_SAFE_INTEGER))) continue;
    storage.journal.draft({ kind: 'clock', fromUs, toUs: clock.nowUs, reason: 'scenario', causeSequence });
    // The turn's own time is that of its start, so a fold of the journal needs it.
    counters.set(clockKey, clock.nowUs);
  }
}
