// Reads evidence.jsonl back: every line canonical and an entry, sequences from 1 without gaps, both digests recomputed.
import { TextDecoder } from 'node:util';
import { canonicalJson } from '../contract/canonical-json.js';
import { limits } from '../contract/limits.js';
import type { RunReport } from '../contract/run/run-events.js';
import { validateEvidenceEntry } from '../contract/validate/validators.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { EvidenceHasher, TrajectoryHasher } from '../contract/world/evidence-hash.js';
import { EvidenceSelection, type EvidenceView } from './evidence-view.js';
import { JournalClaims } from './journal-claims.js';
import { evidenceFile } from './report-folder.js';
import type { ReportProblems } from './report-problems.js';

/** The view of the journal, or null if it is not a journal: then nothing can be made from it. */
export async function verifyEvidence(
  pieces: AsyncIterable<Buffer>,
  report: Pick<RunReport, 'result' | 'invocation'>,
  problems: ReportProblems,
): Promise<EvidenceView | null> {
  const { result } = report;
  const selection = new EvidenceSelection(result);
  const evidence = new EvidenceHasher();
  const trajectory = new TrajectoryHasher();
  const claims = new JournalClaims(report);
  let sequence = 0;
  for await (const line of linesOf(pieces)) {
    sequence++;
    const entry = line === null ? null : readEntry(line, sequence, problems);
    if (entry === null || line === null) {
      if (line === null) problems.add(evidenceFile, 'EVIDENCE_INVALID', `line ${sequence} does not end, is too long or is not UTF-8`);
      return null;
    }
    evidence.appendLine(line);
    trajectory.appendEntry(entry);
    selection.append(entry, line.length);
    claims.append(entry);
  }
  const add = (code: Parameters<ReportProblems['add']>[1], message: string): void => problems.add(evidenceFile, code, message);
  const { fromSequence, toSequence } = result.evidenceRange;
  if (sequence !== toSequence || fromSequence < Math.min(1, toSequence) || fromSequence > toSequence) {
    add('EVIDENCE_RANGE_MISMATCH', `holds the entries 1 to ${sequence}; the report says ${fromSequence} to ${toSequence}`);
  }
  if (evidence.digest() !== result.evidenceHash)
    add('EVIDENCE_HASH_MISMATCH', `hashes to ${evidence.digest()}; the report says ${result.evidenceHash}`);
  if (trajectory.digest() !== result.trajectoryHash)
    add('TRAJECTORY_HASH_MISMATCH', `hashes to ${trajectory.digest()}; the report says ${result.trajectoryHash}`);
  claims.verify(problems);
  return selection.view();
}

function readEntry(line: string, sequence: number, problems: ReportProblems): EvidenceEntry | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    problems.add(evidenceFile, 'EVIDENCE_INVALID', `line ${sequence} is not JSON`);
    return null;
  }
  const checked = validateEvidenceEntry(value);
  if (!checked.ok) {
    problems.add(
      evidenceFile,
      'EVIDENCE_INVALID',
      `line ${sequence} is no entry: ${checked.issues[0]?.path} ${checked.issues[0]?.message}`,
    );
    return null;
  }
  const entry = value as EvidenceEntry;
  if (!isCanonical(entry, line)) {
    problems.add(evidenceFile, 'EVIDENCE_NOT_CANONICAL', `line ${sequence} is not RFC 8785 JSON`);
    return null;
  }
  if (entry.sequence !== sequence) {
    problems.add(evidenceFile, 'EVIDENCE_SEQUENCE', `line ${sequence} has the sequence ${entry.sequence}`);
    return null;
  }
  return entry;
}

function isCanonical(entry: EvidenceEntry, line: string): boolean {
  try {
    return canonicalJson(entry as never) === line;
  } catch {
    return false;
  }
}

/** Lines without their newline; null, and nothing after it, for one that is not ended, too long or not UTF-8. */
async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = bytes.lastIndexOf(10) + 1;
    rest = bytes.subarray(end);
    if (rest.length > limits.evidenceLineBytesMax) return yield null;
    const text = decoded(decoder, bytes.subarray(0, end));
    if (text === null) return yield null;
    for (let from = 0; from < text.length; ) {
      const newline = text.indexOf('\n', from);
      yield text.slice(from, newline);
      from = newline + 1;
    }
  }
  if (rest.length > 0) yield null;
}

function decoded(decoder: TextDecoder, bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
