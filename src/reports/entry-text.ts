// One evidence entry as one line of text, for lists and reports.
import type { JsonObject } from '../contract/json.js';
import type {
  CallbackEntry,
  EventEntry,
  EvidenceEntry,
  FaultEntry,
  OperationEntry,
  StateChangeEntry,
  VerificationEntry,
} from '../contract/world/evidence.js';
import { virtualClock, virtualDuration } from '../text/virtual-time.js';
import { clockWords, statusText, timingWords } from './words.js';

/** What happened, without sequence, time and kind. The caller makes it visible text. */
export function entryText(entry: EvidenceEntry): string {
  switch (entry.kind) {
    case 'operation':
      return operationText(entry);
    case 'state_change':
      return stateChangeText(entry);
    case 'event':
      return eventText(entry);
    case 'callback':
      return callbackText(entry);
    case 'fault':
      return faultText(entry);
    case 'fault_control':
      return `${faultName(entry)} switched ${entry.active ? 'on' : 'off'}${entry.changed ? '' : ' (it was already)'}`;
    case 'random':
      return `${place(entry)} drew ${entry.value} (${entry.method}, ${entry.purpose})`;
    case 'clock':
      return `${virtualClock(entry.fromUs)} → ${virtualClock(entry.toUs)} (${clockWords[entry.reason]})`;
    case 'lifecycle':
      return entry.phase.replaceAll('_', ' ');
    case 'verification':
      return verificationText(entry);
    case 'refused_request':
      return `${entry.method} ${entry.pathname} refused by ${entry.packageId}: ${entry.refusal.replaceAll('_', ' ')} (${entry.status})`;
  }
}

/** Whether the entry records something that went wrong: a refused or failed call, a fault, a failed event, delivery or check. */
export function entryIsProblem(entry: EvidenceEntry): boolean {
  switch (entry.kind) {
    case 'operation':
      return entry.outcome.kind !== 'ok';
    case 'event':
    case 'callback':
      return entry.phase === 'failed';
    case 'fault':
    case 'refused_request':
      return true;
    case 'verification':
      return entry.result.verdict !== 'passed';
    default:
      return false;
  }
}

/** `payments`, or `payments@eu` where the instance has a name of its own. */
export function place({ packageId, instanceId }: { packageId: string; instanceId?: string }): string {
  return instanceId === undefined || instanceId === packageId ? packageId : `${packageId}@${instanceId}`;
}

export function actorName({ actorId, actorInstanceId }: { actorId: string; actorInstanceId?: string }): string {
  return actorInstanceId === undefined ? actorId : `${actorId}@${actorInstanceId}`;
}

function operationText(entry: OperationEntry): string {
  const { invocation, outcome } = entry;
  let text = `${place(invocation)}.${invocation.operationId} by ${actorName(entry)} → ${statusText(outcome.kind)}`;
  if (outcome.kind !== 'ok') text += ` ${outcome.error.code}`;
  if (entry.idempotency === 'replayed') text += ` (${replayText(entry)})`;
  if (entry.toolOverride !== undefined) text += ` (override ${entry.toolOverride.id})`;
  return text;
}

/** Of a call that repeats an earlier one by its key: of a fork's parent, where no entry is named. */
export function replayText({ replayedFromSequence }: OperationEntry): string {
  return replayedFromSequence === undefined ? 'replay of a call before the fork' : `replay of #${replayedFromSequence}`;
}

function stateChangeText(entry: StateChangeEntry): string {
  const row = `${place(entry)}/${entry.namespace}/${entry.rowId}`;
  if (entry.change === 'insert') return `${row} inserted`;
  if (entry.change === 'delete') return `${row} deleted`;
  const members = changedMembers(entry.before ?? {}, entry.after ?? {});
  const more = members.length > 4 ? ` and ${members.length - 4} more` : '';
  return `${row} updated: ${members.slice(0, 4).join(', ')}${more}`;
}

function changedMembers(before: JsonObject, after: JsonObject): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

function eventText(entry: EventEntry): string {
  const name = `${place(entry.event)}.${entry.event.eventId} ${entry.phase}`;
  if (entry.phase === 'scheduled' && entry.scheduledForUs !== undefined) return `${name} for ${virtualClock(entry.scheduledForUs)}`;
  const handler = entry.handlerPackageId === undefined ? '' : ` by ${entry.handlerPackageId}`;
  return `${name}${handler}${entry.error === undefined ? '' : `: ${entry.error.code}`}`;
}

function callbackText(entry: CallbackEntry): string {
  let text = `${place(entry)}.${entry.callbackId} to ${entry.receiverId} ${entry.phase.replaceAll('_', ' ')}`;
  if (entry.attempt !== undefined) text += `, attempt ${entry.attempt}`;
  if (entry.status !== undefined) text += `, status ${entry.status}`;
  if (entry.retryAtUs !== undefined) text += `, again at ${virtualClock(entry.retryAtUs)}`;
  return entry.error === undefined ? text : `${text}: ${entry.error.code}`;
}

function faultText({ operationId, timing, latencyUs, afterEvents, callbackId, delivery, dueUs, ...entry }: FaultEntry): string {
  if (afterEvents !== undefined) return `${faultName(entry)} cut the stream of ${operationId} after ${afterEvents} events`;
  if (delivery === undefined)
    return `${faultName(entry)} hit ${operationId}, ${timingWords[timing]}${latencyUs === undefined ? '' : ` of ${virtualDuration(latencyUs)}`}`;
  const held = dueUs === undefined ? '' : ` until ${virtualClock(dueUs)}`;
  return `${faultName(entry)} hit a delivery of ${callbackId} (${delivery.replace('_', ' ')}${held})`;
}

function verificationText({ checkpointId, result }: VerificationEntry): string {
  const passed = result.assertions.filter((assertion) => assertion.status === 'passed').length;
  return `${checkpointId} ${result.verdict}, ${passed} of ${result.assertions.length} hold`;
}

function faultName(entry: { packageId: string; instanceId: string; faultId: string }): string {
  return `${place(entry)}.${entry.faultId}`;
}
