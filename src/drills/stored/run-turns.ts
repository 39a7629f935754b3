// A run's journal as turns: what one cause brought about, with nothing of it that only says who asked, when, or where in the journal it
// stands.
//   RUN-TURNS-1. A call is known by who called what with which arguments; a scheduled event by the turn that scheduled it; neither by
//     place, time or ids.
//   RUN-TURNS-2. Times are compared as spans: a turn that comes later because something before it took longer is the same turn.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.js';
import type { JsonValue } from '../../contract/json.js';
import type { RunResult } from '../../contract/run/run.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { trajectoryLine } from '../../contract/world/evidence-hash.js';
import { entriesIn } from './journal-text.js';

export interface RunEvidence {
  result: Pick<RunResult, 'evidenceRange'>;
  /** From sequence 1 on, as chunks of whole lines. */
  evidence: AsyncIterable<string> | Iterable<string>;
}
/** Entries that committed together. */
export interface RunTurn {
  /** Digest of what brought it about: equal for the same cause, whatever came of it. */
  cause: string;
  /** For people. */
  words: string;
  /** Of its first entry. */
  sequence: number;
  virtualTimeUs: number;
  /** Digests of what each entry says, comparable across runs. */
  lines: string[];
}

/** `observe` sees every entry of the run once, as it is read. */
export async function* runTurns({ result, evidence }: RunEvidence, observe: (entry: EvidenceEntry) => void): AsyncGenerator<RunTurn> {
  const causes = new Causes();
  let turn: EvidenceEntry[] = [];
  for await (const entry of entriesIn(evidence)) {
    if (entry.sequence < result.evidenceRange.fromSequence) continue;
    observe(entry);
    // That a world was made, reset or closed is no part of what happened in it.
    if (entry.kind === 'lifecycle') continue;
    if (turn.length > 0 && turn[0]!.transactionId !== entry.transactionId) {
      yield turnOf(turn, causes);
      turn = [];
    }
    turn.push(entry);
  }
  if (turn.length > 0) yield turnOf(turn, causes);
}

function turnOf(entries: readonly EvidenceEntry[], causes: Causes): RunTurn {
  const [first] = entries as [EvidenceEntry];
  const { words, cause } = causes.of(first);
  const digest = digestOf(cause);
  causes.note(digest, entries);
  const { sequence, virtualTimeUs } = first;
  return { cause: digest, words, sequence, virtualTimeUs, lines: entries.map((entry) => digestOf(lineOf(entry, sequence))) };
}

/** Inside its turn an entry keeps its place and its cause; what it says of earlier turns are places only. */
function lineOf(entry: EvidenceEntry, base: number): string {
  const { causeSequence = 0 } = entry;
  const inTurn = causeSequence >= base ? causeSequence - base : -1;
  const placed = { ...entry, sequence: entry.sequence - base, transactionSize: 0, causeSequence: inTurn, virtualTimeUs: 0 };
  if (placed.kind === 'operation' && placed.replayedFromSequence !== undefined) placed.replayedFromSequence = 0;
  // An event that is due comes when it comes; one that is scheduled is so for some time from now.
  if (placed.kind === 'event' && placed.scheduledForUs !== undefined)
    placed.scheduledForUs -= placed.phase === 'scheduled' ? entry.virtualTimeUs : placed.scheduledForUs;
  if (placed.kind === 'clock')
    Object.assign(placed, isSetFromOutside(placed.reason) ? { fromUs: 0 } : { fromUs: 0, toUs: placed.toUs - placed.fromUs });
  if (placed.kind === 'callback' && placed.retryAtUs !== undefined) placed.retryAtUs -= entry.virtualTimeUs;
  if (placed.kind === 'fault' && placed.dueUs !== undefined) placed.dueUs -= entry.virtualTimeUs;
  return trajectoryLine(placed) as string;
}

/** The clock goes to a time of the drill, however far that is. */
function isSetFromOutside(reason: string): boolean {
  return reason === 'explicit' || reason === 'reset';
}

/** Which turn scheduled which event, by sequence, and queued which delivery, by its id. */
class Causes {
  readonly #scheduled = new Map<number, JsonValue>();
  readonly #queued = new Map<string, JsonValue>();

  of(entry: EvidenceEntry): { words: string; cause: JsonValue } {
    switch (entry.kind) {
      case 'operation': {
        const { packageId, instanceId, operationId, arguments: given } = entry.invocation;
        const { actorId, actorInstanceId = null } = entry;
        const words = `${actorId} called ${packageId}/${operationId}`;
        return { words, cause: ['operation', actorId, actorInstanceId, packageId, instanceId, operationId, given] };
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
        return { words: `the clock went to ${toUs} us`, cause };
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

function digestOf(value: JsonValue): string {
  return createHash('sha256')
    .update(typeof value === 'string' ? value : canonicalJson(value))
    .digest('base64url');
}
