// A run's journal as turns: what one cause brought about, with nothing of it that only says who asked or where in the journal it stands.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../contract/canonical-json.js';
import type { EvidenceEntry } from '../contract/evidence.js';
import { trajectoryLine } from '../contract/evidence-hash.js';
import type { JsonValue } from '../contract/json.js';
import type { RunResult } from '../contract/run.js';

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
  /** What each entry says, comparable across runs. */
  lines: string[];
}

export class RunTurns {
  readonly #turns: AsyncGenerator<RunTurn>;

  /** `observe` sees every entry of the run once, as it is read. */
  constructor({ result, evidence }: RunEvidence, observe: (entry: EvidenceEntry) => void) {
    this.#turns = turnsOf(evidence, result.evidenceRange.fromSequence, observe);
  }

  /** undefined after the last. */
  async next(): Promise<RunTurn | undefined> {
    const { value, done } = await this.#turns.next();
    return done ? undefined : value;
  }
}

async function* turnsOf(evidence: RunEvidence['evidence'], fromSequence: number, observe: (entry: EvidenceEntry) => void): AsyncGenerator<RunTurn> {
  let turn: EvidenceEntry[] = [];
  for await (const chunk of evidence) {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf('\n', from);
      const entry = JSON.parse(chunk.slice(from, end)) as EvidenceEntry;
      from = end + 1;
      if (entry.sequence < fromSequence) continue;
      observe(entry);
      // That a world was made, reset or closed is no part of what happened in it.
      if (entry.kind === 'lifecycle') continue;
      if (turn.length > 0 && turn[0]!.transactionId !== entry.transactionId) {
        yield turnOf(turn);
        turn = [];
      }
      turn.push(entry);
    }
  }
  if (turn.length > 0) yield turnOf(turn);
}

function turnOf(entries: readonly EvidenceEntry[]): RunTurn {
  const [first] = entries as [EvidenceEntry];
  const { words, cause } = causeOf(first);
  const digest = createHash('sha256').update(canonicalJson(cause)).digest('base64url');
  return { cause: digest, words, sequence: first.sequence, lines: entries.map((entry) => lineOf(entry, first.sequence)) };
}

/** Inside its turn an entry keeps its place and its cause; what it says of earlier turns are places only. */
function lineOf(entry: EvidenceEntry, base: number): string {
  const { causeSequence = 0 } = entry;
  const inTurn = causeSequence >= base ? causeSequence - base : -1;
  const placed = { ...entry, sequence: entry.sequence - base, transactionSize: 0, causeSequence: inTurn };
  if (placed.kind === 'operation' && placed.replayedFromSequence !== undefined) placed.replayedFromSequence = 0;
  return trajectoryLine(placed) as string;
}

function causeOf(entry: EvidenceEntry): { words: string; cause: JsonValue } {
  switch (entry.kind) {
    case 'operation': {
      const { packageId, instanceId, operationId, arguments: given } = entry.invocation;
      const { actorId, actorInstanceId = null } = entry;
      const words = `${actorId} called ${packageId}/${operationId}`;
      return { words, cause: ['operation', actorId, actorInstanceId, packageId, instanceId, operationId, given] };
    }
    case 'event': {
      const { event, payload, phase, scheduledForUs = null } = entry;
      const words = `${event.packageId}/${event.eventId} was ${phase}`;
      return { words, cause: ['event', { ...event }, phase === 'failed' ? 'handled' : phase, scheduledForUs, payload] };
    }
    case 'clock':
      return { words: `the clock went to ${entry.toUs} us`, cause: ['clock', entry.reason, entry.toUs] };
    case 'verification':
      return { words: `checkpoint ${entry.checkpointId} was judged`, cause: ['verification', entry.checkpointKind, entry.checkpointId] };
    case 'fault_control': {
      const { packageId, instanceId, faultId, active } = entry;
      return {
        words: `fault ${packageId}/${faultId} was switched ${active ? 'on' : 'off'}`,
        cause: ['fault', packageId, instanceId, faultId, active],
      };
    }
    default:
      return { words: `a ${entry.kind} entry was written`, cause: ['entry', lineOf(entry, entry.sequence)] };
  }
}
