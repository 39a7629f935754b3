// What a data file at rest holds above its log: the records of an owner that has ended before they were appended.
//   STREAM-TAIL-1. Where these records do not follow the end of the log, nothing of the file is appended or served.
import { existsSync } from 'node:fs';
import { ServiceError } from '../contract/errors.js';
import { dataFileOf } from '../files/database.js';
import type { StreamPosition } from './kv/stream-log.js';
import { openingOf, type TailRecord } from './kv/stream-position.js';
import { KvWriter } from './kv/writer.js';

/** In order; none where the file has no more than the log. `endOf`: the newest record of the log, asked only where there is a file. */
export async function recordsAbove(directory: string, endOf: () => Promise<StreamPosition>): Promise<TailRecord[]> {
  if (!existsSync(dataFileOf(directory))) return [];
  const end = await endOf();
  const file = KvWriter.open({ directory, durability: 'committed', leavesChecked: false });
  try {
    return recordsOf(file, end);
  } finally {
    await file.abandon();
  }
}

/** The same of a file that is open without a log. */
export function recordsOf(file: Pick<KvWriter, 'directory' | 'position' | 'tail'>, end: StreamPosition): TailRecord[] {
  const { directory, position } = file;
  const tail = file.tail();
  const nonce = end.number <= position.number ? end.nonce : undefined;
  const opening = openingOf({ position, tail, isSameBoot: true, log: { end: end.number, nonce } });
  if (opening === 'continue') return [];
  if (opening === 'append_tail') return tail.filter(({ number }) => number > end.number);
  throw new ServiceError('control.DATA_DAMAGED', {
    message: `The file ${dataFileOf(directory)} is at record ${position.number}, and its log is at ${end.number}: ${opening}.`,
    details: { path: dataFileOf(directory), reason: opening },
  });
}
