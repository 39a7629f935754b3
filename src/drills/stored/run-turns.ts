// A run's journal as turns: what one cause brought about, with nothing of it that only says who asked, when, or where in the journal it
// stands.
//   RUN-TURNS-1. A call is known by who called what with which arguments; a scheduled event by the turn that scheduled it; neither by
//     place, time or ids.
//   RUN-TURNS-2. Times are compared as spans: a turn that comes later because something before it took longer is the same turn.
import type { JsonValue } from '../../contract/json.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { withoutTag } from '../../reports/compared-values.js';
import { virtualClock } from '../../text/virtual-time.js';
import { digestOf } from './digest-column.js';

/** Entries that committed together. */
export interface RunTurn {
  /** Digest of what brought it about: equal for the same cause, whatever came of it. */
  cause: string;
  /** Of a call: who called what, whatever the arguments. */
  like: string | undefined;
  /** For people. */
  words: string;
  /** Of its first entry. */
  sequence: number;
  virtualTimeUs: number;
  /** Digests of what each entry says, comparable across runs. */
  lines: string[];
}

export interface TurnsWanted {
  /** Of the ids that the run's world minted. */
  tag: string | undefined;
  fromSequence: number;
  /** Sees every entry of the run once. */
  observe: (entry: EvidenceEntry) => void;
  take: (turn: RunTurn) => void;
}

/** Entries in, in the order of the journal; turns out. */
export class TurnReader {
  readonly #wanted: TurnsWanted;
  readonly #causes = new Causes();
  #turn: EvidenceEntry[] = [];

  constructor(wanted: TurnsWanted) {
    this.#wanted = wanted;
  }

  add(entry: EvidenceEntry): void {
    const { fromSequence, observe } = this.#wanted;
    if (entry.sequence < fromSequence) return;
    observe(entry);
    // That a world was made, reset or closed is no part of what happened in it.
    if (entry.kind === 'lifecycle') return;
    if (this.#turn.length > 0 && this.#turn[0]!.transactionId !== entry.transactionId) this.end();
    this.#turn.push(entry);
  }

  end(): void {
    if (this.#turn.length === 0) return;
    this.#wanted.take(turnOf(this.#turn, this.#causes, this.#wanted.tag));
    this.#turn = [];
  }
}

function turnOf(entries: readonly EvidenceEntry[], causes: Causes, tag: string | undefined): RunTurn {
  const [first] = entries as [EvidenceEntry];
  const { words, cause, like } = causes.of(first);
  const digest = digestOf(withoutTag(JSON.stringify(cause), tag));
  causes.note(digest, entries);
  const { sequence, virtualTimeUs } = first;
  return {
    cause: digest,
    like,
    words,
    sequence,
    virtualTimeUs,
    lines: entries.map((entry) => digestOf(withoutTag(lineOf(entry, sequence), tag))),
  };
}

/**
 * Inside its turn an entry keeps its place and its cause; what it says of earlier turns are places only, and ids and keys only tell who
 * asked. Values are in the order of the journal, which is canonical. The kinds that fill long journals name what they say, which is faster
 * than to leave out what they do not.
 */
function lineOf(entry: EvidenceEntry, base: number): string {
  const { causeSequence = 0, virtualTimeUs, kind, transactionIndex } = entry;
  const cause = causeSequence >= base ? causeSequence - base : -1;
  if (entry.kind === 'state_change') {
    const { packageId, instanceId, namespace, rowId, change, before, after } = entry;
    return JSON.stringify([kind, transactionIndex, cause, packageId, instanceId, namespace, rowId, change, before, after]);
  }
  if (entry.kind === 'event') {
    const { event, phase, payload, handlerPackageId, handlerInstanceId, subscriptionId, error, scheduledForUs } = entry;
    // An event that is due comes when it comes; one that is scheduled is so for some time from now.
    const due = scheduledForUs !== undefined && phase === 'scheduled' ? scheduledForUs - virtualTimeUs : scheduledForUs !== undefined;
    const rest = [event, phase, payload, due, handlerPackageId, handlerInstanceId, subscriptionId, error];
    return JSON.stringify([kind, transactionIndex, cause, ...rest]);
  }
  // biome-ignore lint/suspicious/noExplicitAny: members are left out and set to what can be compared
  const said: any = { ...entry, sequence: entry.sequence - base, causeSequence: cause };
  for (const name of unsaid) said[name] = undefined;
  switch (entry.kind) {
    case 'operation':
      said.invocation = { ...entry.invocation, callId: undefined, idempotencyKey: undefined };
      if (entry.replayedFromSequence !== undefined) said.replayedFromSequence = 0;
      break;
    case 'clock':
      said.toUs = isSetFromOutside(entry.reason) ? entry.toUs : entry.toUs - entry.fromUs;
      said.fromUs = 0;
      break;
    case 'callback':
      if (entry.retryAtUs !== undefined) said.retryAtUs = entry.retryAtUs - virtualTimeUs;
      break;
    case 'fault':
      if (entry.dueUs !== undefined) said.dueUs = entry.dueUs - virtualTimeUs;
      break;
    default:
  }
  return JSON.stringify(said);
}
const unsaid = ['correlationId', 'transactionId', 'transactionSize', 'virtualTimeUs', 'deliveryId'] as const;

/** The clock goes to a time of the drill, however far that is. */
function isSetFromOutside(reason: string): boolean {
  return reason === 'explicit' || reason === 'reset';
}

/** Which turn scheduled which event, by sequence, and queued which delivery, by its id. */
class Causes {
  readonly #scheduled = new Map<number, JsonValue>();
  readonly #queued = new Map<string, JsonValue>();

  of(entry: EvidenceEntry): { words: string; cause: JsonValue; like?: string } {
    switch (entry.kind) {
      case 'operation': {
        const { packageId, instanceId, operationId, arguments: given } = entry.invocation;
        const { actorId, actorInstanceId = null } = entry;
        const words = `${actorId} called ${packageId}/${operationId}`;
        const like = `${actorId} ${actorInstanceId ?? ''} ${packageId} ${instanceId} ${operationId}`;
        return { words, like, cause: ['operation', actorId, actorInstanceId, packageId, instanceId, operationId, given] };
      }
      case 'event': {
        const { event, payload, phase, scheduledForUs = null, causeSequence = 0 } = entry;
        const words = `${event.packageId}/${event.eventId} was ${phase}`;
        // One that the setup scheduled has only its time and payload.
        const origin = this.#scheduled.get(causeSequence) ?? [scheduledForUs, payload];
        return { words, cause: ['event', { ...event }, phase === 'failed' ? 'handled' : phase, origin] };
      }
      case 'clock': {
        const { reason, fromUs, toUs } = entry;
        const cause = isSetFromOutside(reason) ? ['clock', reason, toUs] : ['clock', reason, toUs - fromUs];
        return { words: `the clock went to ${virtualClock(toUs)}`, cause };
      }
      case 'callback': {
        const { packageId, callbackId, receiverId, deliveryId, phase, attempt = 0 } = entry;
        // However the receiver answers, it answers to this attempt.
        const step = phase === 'delivered' || phase === 'failed' || phase === 'retry_scheduled' ? 'answered' : phase;
        const words = `the delivery of ${packageId}/${callbackId} was ${phase.replace('_', ' ')}`;
        return { words, cause: ['callback', this.#queued.get(deliveryId) ?? [packageId, callbackId, receiverId], step, attempt] };
      }
      case 'verification':
        return { words: `checkpoint ${entry.checkpointId} was judged`, cause: ['verification', entry.checkpointKind, entry.checkpointId] };
      case 'fault_control': {
        const { packageId, instanceId, faultId, active } = entry;
        const words = `fault ${packageId}/${faultId} was switched ${active ? 'on' : 'off'}`;
        return { words, cause: ['fault', packageId, instanceId, faultId, active] };
      }
      default:
        return { words: `a ${entry.kind} entry was written`, cause: ['entry', lineOf(entry, entry.sequence)] };
    }
  }

  /** The n-th event, or delivery, of its name in a turn is known by the turn, its name and n. */
  note(turn: string, entries: readonly EvidenceEntry[]): void {
    const counts = new Map<string, number>();
    const origin = (name: string): JsonValue => {
      const nth = counts.get(name) ?? 0;
      counts.set(name, nth + 1);
      return [turn, name, nth];
    };
    for (const entry of entries) {
      if (entry.kind === 'event' && entry.phase === 'scheduled') {
        const { packageId, instanceId, eventId } = entry.event;
        this.#scheduled.set(entry.sequence, origin(`${packageId} ${instanceId} ${eventId}`));
      } else if (entry.kind === 'callback' && entry.phase === 'queued') {
        const { packageId, instanceId, callbackId, receiverId, deliveryId } = entry;
        this.#queued.set(deliveryId, origin(`${packageId} ${instanceId} ${callbackId} ${receiverId}`));
      }
    }
  }
}
