// A run's journal as turns: what one cause brought about, with nothing of it that only says who asked, when, or where in the journal it
// stands.
//   RUN-TURNS-1. A call is known by who called what with which arguments; a scheduled event by the turn that scheduled it; neither by
//     place, time or ids. A call that has another idempotency key is the same call: the key is told apart from it.
//   RUN-TURNS-2. Times are compared as spans: a turn that comes later because something before it took longer is the same turn.
import { defined } from '../../contract/defined.js';
import type { JsonValue } from '../../contract/json.js';
import type { CallbackEntry, EventEntry, EvidenceEntry } from '../../contract/world/evidence.js';
import { withoutTag } from '../../reports/compared-values.js';
import { virtualClock } from '../../text/virtual-time.js';
import { digestOf } from './digest-column.js';
import type { JournalLine } from './journal-line.js';

/** Entries that committed together. */
export interface RunTurn {
  /** Digest of what brought it about: equal for the same cause, whatever came of it. */
  cause: string;
  /** Of a call: who called what, whatever the arguments. */
  like: string | undefined;
  /** Digest of a call's idempotency key; of what has none that of nothing. */
  key: string;
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
  observe: (line: JournalLine) => void;
  take: (turn: RunTurn) => void;
}

/** Lines in, in the order of the journal; turns out. */
export class TurnReader {
  readonly #wanted: TurnsWanted;
  readonly #causes = new Causes();
  #turn: RunTurn | undefined;
  /** Of the transaction that it is. */
  #base = 0;

  constructor(wanted: TurnsWanted) {
    this.#wanted = wanted;
  }

  add(line: JournalLine): void {
    const { fromSequence, observe, tag } = this.#wanted;
    if (line.sequence < fromSequence) return;
    observe(line);
    // That a world was made, reset or closed is no part of what happened in it.
    if (line.name === 'lifecycle') return;
    if (this.#base !== line.base) this.end();
    this.#turn ??= this.#begun(line);
    this.#turn.lines.push(saidDigest(line, this.#turn.sequence, tag));
    this.#causes.note(line);
  }

  end(): void {
    if (this.#turn !== undefined) this.#wanted.take(this.#turn);
    this.#turn = undefined;
  }

  #begun(line: JournalLine): RunTurn {
    this.#base = line.base;
    const { tag } = this.#wanted;
    const { words, cause, like, key } = this.#causes.of(line);
    const digest = digestOf(withoutTag(cause, tag));
    this.#causes.begin(digest);
    const keyDigest = key === undefined ? noKey : digestOf(withoutTag(key, tag));
    return { cause: digest, like, key: keyDigest, words, sequence: line.sequence, virtualTimeUs: line.virtualTimeUs, lines: [] };
  }
}

const noKey = digestOf('');

/**
 * Inside its turn, which begins at `base`, an entry keeps its place and its cause; what it says of earlier turns are places only, and ids
 * and keys only tell who asked. The kinds that fill long journals are taken as they are written.
 */
function saidDigest(line: JournalLine, base: number, tag: string | undefined): string {
  const { name, causeSequence, transactionIndex, scheduledForUs, virtualTimeUs } = line;
  if (name !== 'state_change' && name !== 'event') return digestOf(withoutTag(lineOf(line.entry(), base), tag));
  const cause = causeSequence >= base ? causeSequence - base : -1;
  // An event that is due comes when it comes; one that is scheduled is so for some time from now.
  const isScheduled = name === 'event' && line.isPhase('scheduled');
  const due = Number.isNaN(scheduledForUs) ? -1 : isScheduled ? scheduledForUs - virtualTimeUs : 0;
  const said = line.said(transactionIndex, cause, due);
  return tag !== undefined && said.includes(tag, 0, 'latin1') ? digestOf(withoutTag(said.toString('latin1'), tag)) : digestOf(said);
}

function lineOf(entry: EvidenceEntry, base: number): string {
  const { causeSequence = 0, virtualTimeUs } = entry;
  // biome-ignore lint/suspicious/noExplicitAny: members are left out and set to what can be compared
  const said: any = { ...entry, sequence: entry.sequence - base, causeSequence: causeSequence >= base ? causeSequence - base : -1 };
  for (const name of unsaid) said[name] = undefined;
  switch (entry.kind) {
    case 'operation':
      said.invocation = { ...entry.invocation, callId: undefined, idempotencyKey: undefined };
      said.replayedFromSequence = undefined;
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

interface Cause {
  words: string;
  /** Equal for the same cause. */
  cause: string;
  like?: string;
  key?: string;
}

/** Which turn scheduled which event, by sequence, and queued which delivery, by its id. */
class Causes {
  readonly #scheduled = new Map<number, string>();
  readonly #queued = new Map<string, string>();
  /** By the text of the event. */
  readonly #eventNames = new Map<string, string>();
  #turn = '';
  readonly #counts = new Map<string, number>();

  of(line: JournalLine): Cause {
    if (line.name === 'event') return this.#ofEvent(line);
    const { cause, ...words } = this.#ofEntry(line.entry());
    return { ...words, cause: JSON.stringify(cause) };
  }

  #ofEvent(line: JournalLine): Cause {
    const [event, phase] = [line.written('event'), line.text('phase')];
    const name = this.#eventNames.get(event) ?? eventName(event);
    this.#eventNames.set(event, name);
    // One that the setup scheduled has only its time and payload.
    const origin = this.#scheduled.get(line.causeSequence) ?? `${line.scheduledForUs} ${line.written('payload')}`;
    return { words: `${name} was ${phase}`, cause: `${event} ${phase === 'failed' ? 'handled' : phase} ${origin}` };
  }

  #ofEntry(entry: EvidenceEntry): Omit<Cause, 'cause'> & { cause: JsonValue } {
    switch (entry.kind) {
      case 'operation': {
        const { packageId, instanceId, operationId, arguments: given, idempotencyKey: key } = entry.invocation;
        const { actorId, actorInstanceId = null } = entry;
        const words = `${actorId} called ${packageId}/${operationId}`;
        const like = `${actorId} ${actorInstanceId ?? ''} ${packageId} ${instanceId} ${operationId}`;
        return {
          words,
          like,
          ...defined({ key }),
          cause: ['operation', actorId, actorInstanceId, packageId, instanceId, operationId, given],
        };
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

  /** A turn, from its cause's digest on. */
  begin(turn: string): void {
    this.#turn = turn;
    this.#counts.clear();
  }

  /** The n-th event, or delivery, of its name in a turn is known by the turn, its name and n. */
  note(line: JournalLine): void {
    if (line.name === 'event' && line.isPhase('scheduled')) {
      this.#scheduled.set(line.sequence, this.#origin(line.written('event')));
    } else if (line.name === 'callback' && line.isPhase('queued')) {
      const { packageId, instanceId, callbackId, receiverId, deliveryId } = line.entry() as CallbackEntry;
      this.#queued.set(deliveryId, this.#origin(`${packageId} ${instanceId} ${callbackId} ${receiverId}`));
    }
  }

  #origin(name: string): string {
    const nth = this.#counts.get(name) ?? 0;
    this.#counts.set(name, nth + 1);
    return `${this.#turn}${nth} ${name}`;
  }
}

function eventName(written: string): string {
  const { packageId, eventId } = JSON.parse(written) as EventEntry['event'];
  return `${packageId}/${eventId}`;
}
