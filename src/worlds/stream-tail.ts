// What a data file at rest holds above its log, and what it lacks below: of an owner that has ended before the records were appended, or
// before they were written to the file.
//   STREAM-TAIL-1. Where these records do not follow the end of the log, or the file, nothing of the file is appended or served.
import { existsSync } from 'node:fs';
import { ServiceError } from '../contract/errors.js';
import { dataFileOf } from '../files/database.js';
import { InvalidRecord } from './kv/group-record.js';
import type { StreamPosition, StreamRecord } from './kv/stream-log.js';
import { openingOf, type TailRecord } from './kv/stream-position.js';
import { KvWriter } from './kv/writer.js';

/** The newest record of the log, and those in order of which the file may lack some: the last ones. */
export interface LogEnd extends StreamPosition {
  readonly unwritten: readonly StreamRecord[];
}
interface BroughtIn {
  /** Of the newest record in the file. */
  position: number;
  /** What the log lacks, in order. */
  above: TailRecord[];
}

/** Brings the file to the end of its log. */
export async function recordsAbove(directory: string, endOf: () => Promise<LogEnd>): Promise<BroughtIn> {
  const end = await endOf();
  if (end.unwritten.length === 0 && !existsSync(dataFileOf(directory))) return { position: 0, above: [] };
  const file = KvWriter.open({ directory, durability: 'committed', leavesChecked: false });
  try {
    bringUp(file, end);
    return { position: file.position.number, above: recordsOf(file, end) };
  } finally {
    await file.abandon();
  }
}

function bringUp(file: KvWriter, { unwritten }: LogEnd): void {
  const { number } = file.position;
  try {
    file.replay(unwritten.filter((record) => record.number > number));
  } catch (error) {
    if (!(error instanceof InvalidRecord)) throw error;
    throw damaged(
      `The file ${dataFileOf(file.directory)} is at record ${number}, and what follows does not: ${error.message}.`,
      file,
      'restore',
    );
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
  throw damaged(
    `The file ${dataFileOf(directory)} is at record ${position.number}, and its log is at ${end.number}: ${opening}.`,
    { directory },
    opening,
  );
}

function damaged(message: string, { directory }: Pick<KvWriter, 'directory'>, reason: string): ServiceError {
  return new ServiceError('control.DATA_DAMAGED', { message, details: { path: dataFileOf(directory), reason } });
}
