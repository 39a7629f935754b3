// `compareRuns` of the package: two runs, each as the caller has it.
//   COMPARE-GIVEN-1. A folder is compared only if it is a report as it was sealed. A result and a journal of the caller's own are believed;
//     their form is checked, and so is that the journal can be read a second time.
import { ServiceError } from '../../contract/errors.js';
import type { RunComparison } from '../../contract/hosted/runs.js';
import { isRecord } from '../../contract/json.js';
import { validateRunResult } from '../../contract/validate/validators.js';
import { type ComparedRun, compareRuns } from './compare-runs.js';
import { compareSealed } from './compare-sealed.js';
import type { JournalChunks } from './journal-text.js';
import { SealedReport } from './sealed-report.js';
import type { StoredRun } from './stored-run.js';
import { sealedReportIn } from './verified-report.js';

/** The folder of a report, a run of `openStoredRun`, or a result with its journal. */
export type ComparableRun = string | Pick<StoredRun, 'folder'> | ComparedRun;

/** Rejects with control.INVALID_REQUEST for what is no such run, and for a report that was changed. */
export async function compareGivenRuns(left: ComparableRun, right: ComparableRun): Promise<RunComparison> {
  // Both are looked at before a journal is read.
  const [first, second] = [givenAs('left', left), givenAs('right', right)];
  const [one, other] = [await opened(first), await opened(second)];
  if (one instanceof SealedReport && other instanceof SealedReport) return await compareSealed(one, other);
  return await compareRuns(await runOf(one), await runOf(other));
}

const opened = async (given: string | ComparedRun): Promise<SealedReport | ComparedRun> =>
  typeof given === 'string' ? await sealedReportIn(given) : given;
const runOf = async (side: SealedReport | ComparedRun): Promise<ComparedRun> => (side instanceof SealedReport ? await side.run() : side);

/** A folder, or a run whose form was checked. */
function givenAs(side: Side, run: unknown): string | ComparedRun {
  if (typeof run === 'string') return run;
  if (isRecord(run) && (run.result !== undefined || run.evidence !== undefined)) return checkedRun(side, run);
  if (isRecord(run) && typeof run.folder === 'string') return run.folder;
  throw refused(side, 'must be the folder of a report, a run of openStoredRun, or { result, evidence }');
}

function checkedRun(side: Side, { result, evidence }: { [name: string]: unknown }): ComparedRun {
  const checked = validateRunResult(result);
  if (!checked.ok) {
    const issues = checked.issues.map((issue) => ({ ...issue, path: `/${side}/result${issue.path}` }));
    const message = `compareRuns: ${side}.result is not the result of a run.`;
    throw new ServiceError('control.INVALID_REQUEST', { message, issues });
  }
  if (!isIterable(evidence)) throw refused(side, `${chunksWanted}, such as [text]`, 'evidence');
  return { result: checked.value, evidence: new CheckedJournal(side, evidence) };
}

const chunksWanted = 'must be the chunks of a journal, each of whole lines as text or bytes';
/** A text and an array of bytes are iterable too, by character and by number. */
function isIterable(value: unknown): value is JournalChunks {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  return Symbol.asyncIterator in value || Symbol.iterator in value;
}

class CheckedJournal implements AsyncIterable<string | Uint8Array> {
  readonly #side: Side;
  readonly #chunks: JournalChunks;
  #wasRead = false;

  constructor(side: Side, chunks: JournalChunks) {
    this.#side = side;
    this.#chunks = chunks;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string | Uint8Array> {
    let isEmpty = true;
    for await (const chunk of this.#chunks) {
      if (!isOfWholeLines(chunk)) throw refused(this.#side, chunksWanted, 'evidence');
      isEmpty = false;
      yield chunk;
    }
    // A generator or a stream has nothing more to give.
    if (isEmpty && this.#wasRead) throw refused(this.#side, 'is read twice and has to begin again each time: give an array', 'evidence');
    this.#wasRead = true;
  }
}

function isOfWholeLines(chunk: unknown): chunk is string | Uint8Array {
  if (typeof chunk === 'string') return chunk === '' || chunk.endsWith('\n');
  return chunk instanceof Uint8Array && (chunk.length === 0 || chunk.at(-1) === 0x0a);
}

function refused(side: Side, what: string, member?: string): ServiceError {
  const name = member === undefined ? side : `${side}.${member}`;
  const path = member === undefined ? `/${side}` : `/${side}/${member}`;
  const message = `compareRuns: ${name} ${what}.`;
  return new ServiceError('control.INVALID_REQUEST', { message, issues: [{ path, code: 'wrong_type', message }] });
}

type Side = 'left' | 'right';
