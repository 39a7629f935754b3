// One report folder as far as pages about its run need it: manifest, report document and journal, held against each other by their digests.
// Whether the folder is a whole, valid report is asked of reports/verify-report.ts; here nothing that its manifest does not vouch for is
// read.
import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { sha256Digest } from '../../contract/digest.js';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import type { RunReport } from '../../contract/run/run-events.js';
import { validateRunReport } from '../../contract/validate/validators.js';
import { openPlainSync } from '../../files/plain-file.js';
import { FolderReader } from '../../reports/folder-reader.js';
import { parseManifest, type ReportManifest } from '../../reports/manifest.js';
import { evidenceFile, manifestFile, reportFile } from '../../reports/report-folder.js';
import { tuning } from '../tuning.js';
import type { ReportPlace } from './archive-calls.js';
import { fingerprintOf, reportRefused } from './fingerprint.js';
import { JournalFault, JournalFile } from './journal-file.js';

const files = [manifestFile, reportFile, evidenceFile];

/** `pause` is awaited between two slices of work. */
export type Pause = () => Promise<void>;

export interface ReadReport {
  manifest: ReportManifest;
  report: RunReport;
}

/** The manifest and the document that it vouches for. */
export async function readReport({ folder, runId }: ReportPlace): Promise<ReadReport> {
  // Refuses a folder that is none, or a link.
  fingerprintOf(folder, []);
  const reader = new FolderReader(folder);
  const text = await read(reader, manifestFile, limits.reportManifestBytesMax);
  const parsed = parseManifest(text);
  if ('fault' in parsed) throw reportRefused([{ file: manifestFile, code: 'MANIFEST_INVALID', message: parsed.fault }]);
  const { manifest } = parsed;
  if (manifest.runId !== runId) throw reportRefused([{ file: manifestFile, code: 'RUN_ID_MISMATCH', message: `is of ${manifest.runId}` }]);
  const document = await read(reader, reportFile, limits.reportDocumentBytesMax);
  if (sha256Digest(document) !== digestIn(manifest, reportFile))
    throw reportRefused([{ file: reportFile, code: 'DIGEST_MISMATCH', message: 'is not the file that the manifest names' }]);
  const checked = validateRunReport(parse(document));
  if (!checked.ok || checked.value.runId !== runId || checked.value.result.identity.runId !== runId)
    throw reportRefused([{ file: reportFile, code: 'REPORT_INVALID', message: 'is no report of this run' }]);
  return { manifest, report: checked.value };
}

/** A report of which a page can be made, without reading its journal. */
export async function readSummary(place: ReportPlace): Promise<ReadReport> {
  const read = await readReport(place);
  const reader = new FolderReader(place.folder);
  for (const { path, bytes } of read.manifest.files) {
    const found = await reader.bytes(path).catch(() => undefined);
    if (found === undefined)
      throw reportRefused([{ file: path, code: 'FILE_MISSING', message: 'is in the manifest and not in the folder' }]);
    if (found !== bytes)
      throw reportRefused([{ file: path, code: 'DIGEST_MISMATCH', message: `has ${found} bytes; the manifest says ${bytes}` }]);
  }
  return read;
}

export class SealedRun {
  readonly report: RunReport;
  readonly journal: JournalFile;
  /** Resolves when all of the journal is indexed; rejects when it is not the one that the manifest names. */
  readonly indexed: Promise<void>;
  readonly #folder: string;
  readonly #file: number;
  readonly #fingerprint: string;
  #closing = false;

  private constructor({ folder }: ReportPlace, fingerprint: string, { report, manifest, file }: ReadReport & { file: number }) {
    this.#folder = folder;
    this.#fingerprint = fingerprint;
    this.#file = file;
    this.report = report;
    this.journal = new JournalFile(file, report.result.setup.setup.scenario.state);
    this.indexed = this.#index(digestIn(manifest, evidenceFile));
    // Returned to those who ask for more than was indexed.
    this.indexed.catch(() => {});
  }

  /** The index is made meanwhile: the beginning of a large journal is there at once. */
  static async open(place: ReportPlace): Promise<SealedRun> {
    const fingerprint = fingerprintOf(place.folder, files);
    const read = await readSummary(place);
    let file: number;
    try {
      file = openPlainSync(new FolderReader(place.folder).path(evidenceFile));
    } catch {
      throw reportRefused([{ file: evidenceFile, code: 'FILE_MISSING', message: 'is missing, or no plain file' }]);
    }
    return new SealedRun(place, fingerprint, { ...read, file });
  }

  async #index(digest: string | undefined): Promise<void> {
    const hash = createHash('sha256');
    try {
      for (const piece of this.journal.extend()) {
        hash.update(piece);
        await setImmediate();
        if (this.#closing)
          throw new ServiceError('control.UNAVAILABLE', { message: 'The report is being read again.', retryAfterMs: tuning.retryAfterMs });
      }
    } catch (error) {
      if (error instanceof JournalFault) throw reportRefused([{ file: evidenceFile, code: 'EVIDENCE_INVALID', message: error.message }]);
      throw error;
    }
    if (`sha256:${hash.digest('hex')}` !== digest || this.journal.length !== this.report.result.evidenceRange.toSequence)
      throw reportRefused([{ file: evidenceFile, code: 'DIGEST_MISMATCH', message: 'is not the file that the manifest names' }]);
  }

  /** Throws when the report is gone. */
  isAsOpened(): boolean {
    return fingerprintOf(this.#folder, files) === this.#fingerprint;
  }

  closeAfter(ms: number): void {
    this.#closing = true;
    setTimeout(() => closeSync(this.#file), ms).unref();
  }
}

async function read(reader: FolderReader, name: string, bytesMax: number): Promise<string> {
  let text: string | null;
  try {
    text = await reader.text(name, bytesMax);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw reportRefused([{ file: name, code: 'FILE_MISSING', message: code === 'ENOENT' ? 'is missing' : `cannot be read (${code})` }]);
  }
  if (text === null) throw reportRefused([{ file: name, code: 'FILE_TOO_LARGE', message: 'is too large or no UTF-8' }]);
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function digestIn({ files: listed }: ReportManifest, name: string): string | undefined {
  return listed.find(({ path }) => path === name)?.sha256;
}
