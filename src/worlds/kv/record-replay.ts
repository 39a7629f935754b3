// Records of a log, checked and gathered for the transactions of a copy.
//   RECORD-REPLAY-1. A record is applied only where it follows the copy: by its number, and by the nonce of the record before it.
//   RECORD-REPLAY-2. Nothing of a record that is refused is in any batch, nor of those behind it; those before it are applied.
import { tuning } from '../tuning.js';
import { decodeRecord, InvalidRecord, nonceBytes, type OwnsKey, type RecordedChange } from './group-record.js';
import type { StreamPosition, StreamRecord } from './stream-log.js';

export interface ReplayBatch {
  /** Of several records, in order. */
  changes: RecordedChange[];
  /** Of their keys and values. */
  bytes: number;
  /** After them. */
  position: StreamPosition;
}

/** Batches of a bounded size, so that a long log needs little memory. Throws InvalidRecord behind the last batch that can be made. */
export function* replayBatches(from: StreamPosition, records: readonly StreamRecord[], ownsKey?: OwnsKey): Generator<ReplayBatch> {
  let batch: ReplayBatch = { changes: [], bytes: 0, position: from };
  for (const record of records) {
    let changes: RecordedChange[];
    try {
      changes = decodeNext(batch.position, record, ownsKey);
    } catch (error) {
      if (batch.changes.length > 0) yield batch;
      throw error;
    }
    const { number, nonce } = record;
    for (const change of changes) {
      batch.changes.push(change);
      batch.bytes += change.key.length + (change.value?.length ?? 0);
    }
    batch.position = { number, nonce };
    if (batch.bytes < tuning.replayedBytesAtOnce) continue;
    yield batch;
    batch = { changes: [], bytes: 0, position: batch.position };
  }
  if (batch.changes.length > 0) yield batch;
}

function decodeNext(position: StreamPosition, { number, nonce, body }: StreamRecord, ownsKey: OwnsKey | undefined): RecordedChange[] {
  if (number !== position.number + 1) throw new InvalidRecord(`record ${number} does not follow record ${position.number}`);
  if (nonce.length !== nonceBytes) throw new InvalidRecord(`record ${number} has a nonce of ${nonce.length} bytes`);
  const { follows, changes } = decodeRecord(body, ownsKey);
  if (!follows.equals(position.nonce)) throw new InvalidRecord(`record ${number} follows another record ${position.number}`);
  if (changes.length === 0) throw new InvalidRecord(`record ${number} changes nothing`);
  return changes;
}
