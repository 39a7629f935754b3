// Verifies a data directory in a process of its own: what ends that process while it reads a file is a finding, and the rest is read
// by another.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ServiceError } from './contract/errors.js';
import { limits } from './contract/limits.js';
import type { DataCounts, DataFinding } from './control/verify-data.js';
import { lockFolderToRead } from './files/folder-lock.js';
import { spawnChild } from './processes/spawn-child.js';

export interface DataVerificationOptions {
  dataDirectory: string;
  /** Where the server key lies outside of the directory. */
  keyFile?: string;
  /** The module that reads. Default: data-verification-entry.ts. */
  entry?: URL;
}
export interface DataVerification {
  /** The first limits.verificationFindingsMax. */
  findings: DataFinding[];
  /** How many there are beyond them. */
  leftOut: number;
  counts: DataCounts;
}
/** What the process is to do, in its command line. */
export interface VerificationTask {
  dataDirectory: string;
  keyFile?: string;
  skip: string[];
}
export type VerificationMessage = { begin: string } | { finding: DataFinding } | { done: DataCounts; findings: number };

const crashAdvice = 'Put it back from a backup; nothing can be read of it safely.';

/** control.STATE_CONFLICT while a service uses the directory; control.INVALID_REQUEST where there is none. */
export async function verifyDataDirectory({ dataDirectory, keyFile, entry }: DataVerificationOptions): Promise<DataVerification> {
  const directory = resolve(dataDirectory);
  if (!existsSync(directory)) throw new ServiceError('control.INVALID_REQUEST', { message: `There is no data directory ${directory}.` });
  const lock = lockFolderToRead(directory);
  try {
    const task = { dataDirectory: directory, ...(keyFile === undefined ? {} : { keyFile: resolve(keyFile) }) };
    const crashes: DataFinding[] = [];
    while (crashes.length < limits.verifyProcessesMax) {
      const seen = await readOnce({ ...task, skip: crashes.map(({ file }) => file) }, entry);
      if (seen.counts !== undefined) return { findings: [...crashes, ...seen.findings], leftOut: seen.leftOut, counts: seen.counts };
      if (seen.file === undefined) throw new Error(`the verification could not begin: ${seen.detail}`);
      crashes.push({ file: seen.file, problem: `reading it ended the process (${seen.detail})`, advice: crashAdvice });
    }
    return { findings: crashes, leftOut: 0, counts: { records: 0, worldFiles: 0, worlds: 0, blobs: 0, bundles: 0 } };
  } finally {
    lock.release();
  }
}

interface VerificationState {
  findings: DataFinding[];
  leftOut: number;
  /** Absent where it ended before. */
  counts?: DataCounts;
  /** The last one that it began with. */
  file?: string;
  detail: string;
}

async function readOnce(
  task: VerificationTask,
  entry = new URL('./data-verification-entry.js', import.meta.url),
): Promise<VerificationState> {
  const seen: VerificationState = { findings: [], leftOut: 0, detail: '' };
  const child = spawnChild({
    entry,
    argument: JSON.stringify(task),
    onMessage: (value) => {
      const message = value as VerificationMessage;
      if ('begin' in message) seen.file = message.begin;
      else if ('finding' in message) seen.findings.push(message.finding);
      else {
        seen.counts = message.done;
        seen.leftOut = message.findings - seen.findings.length;
        child.kill();
      }
    },
  });
  seen.detail = await child.ended;
  return seen;
}
