// Checks a report folder against itself: every digest of the manifest, the journal's digests, the verdict, and each projection, made again.
// The folder may come from anywhere. What holds afterwards: its files are those of one consistent run, as the one who wrote it says.
import { jsonDigest, sha256Digest } from '../contract/digest.js';
import { type OptionShapes, requireOptions } from '../contract/known-options.js';
import { limits } from '../contract/limits.js';
import type { RunResult } from '../contract/run/run.js';
import type { RunReport } from '../contract/run/run-events.js';
import { hasItsSetupHash } from '../contract/run/setup-of-run.js';
import { resultVerdict, runVerdict } from '../contract/run/verdict.js';
import { validateRunReport } from '../contract/validate/validators.js';
import { attachmentViews, namedAttachments } from './attachments.js';
import { FolderReader } from './folder-reader.js';
import { type ManifestFile, parseManifest, type ReportManifest } from './manifest.js';
import { type Preview, previewOfAttachment } from './preview.js';
import { jsonDocument, projectionRevision, projections, type ReportSources } from './projections.js';
import { attachmentFolder, attachmentPath, evidenceFile, isRunId, manifestFile, reportFile } from './report-folder.js';
import { type ReportProblem, ReportProblems } from './report-problems.js';
import { verifyEvidence } from './verify-evidence.js';

export interface ReportVerification {
  ok: boolean;
  /** null when the manifest names none. */
  runId: string | null;
  problems: ReportProblem[];
  /** Projections that an earlier revision of the writer made: their digests were checked, their contents could not be made again. */
  notCompared: string[];
}

export interface VerifyOptions {
  /** How much of the journal has been read. */
  onProgress?: (doneBytes: number, totalBytes: number) => void;
}

const shapes: OptionShapes<VerifyOptions> = { onProgress: 'function' };

export async function verifyReport(folder: string, options: VerifyOptions = {}): Promise<ReportVerification> {
  requireOptions('verifyReport', options, shapes);
  return await verifyReportAs(projectionRevision, folder, options);
}

/** As a writer of that revision does. */
export async function verifyReportAs(
  present: number,
  folder: string,
  { onProgress = () => {} }: VerifyOptions = {},
): Promise<ReportVerification> {
  const reader = new FolderReader(folder);
  const problems = new ReportProblems();
  const manifest = await verifyFiles(reader, present, problems);
  const runId = manifest?.runId ?? null;
  // What is not the file the manifest speaks of is not read any further.
  if (manifest === null || problems.list.length > 0) return { ok: false, runId, problems: problems.list, notCompared: [] };
  const notCompared = await verifyContents(reader, { manifest, present, onProgress }, problems);
  return { ok: problems.list.length === 0, runId, problems: problems.list, notCompared };
}

/** The folder against its manifest; null when there is none to check against. */
async function verifyFiles(reader: FolderReader, present: number, problems: ReportProblems): Promise<ReportManifest | null> {
  const found = await reader.list(problems);
  if (found === null) return null;
  if (!found.includes(manifestFile)) {
    problems.add(manifestFile, 'FILE_MISSING', 'is missing');
    return null;
  }
  const text = await reader.text(manifestFile, limits.reportManifestBytesMax);
  const parsed = text === null ? { fault: 'is too large or no UTF-8' } : parseManifest(text);
  if ('fault' in parsed) {
    problems.add(manifestFile, 'MANIFEST_INVALID', parsed.fault);
    return null;
  }
  const { manifest } = parsed;
  const { runId, projectionRevision: revision } = manifest;
  if (!isRunId(runId)) problems.add(manifestFile, 'MANIFEST_INVALID', `has the runId ${runId}, which is none`);
  if (revision < 1 || revision > present)
    problems.add(manifestFile, 'MANIFEST_INVALID', `has the projectionRevision ${revision}; this version knows those up to ${present}`);
  const listed = new Map(manifest.files.map((file) => [file.path, file]));
  const always = [reportFile, evidenceFile, ...Object.keys(projections)];
  for (const path of always) if (!listed.has(path)) problems.add(manifestFile, 'MANIFEST_INVALID', `does not list ${path}`);
  for (const path of listed.keys()) {
    // Whether an attachment is one, the report says.
    if (!always.includes(path) && !path.startsWith(`${attachmentFolder}/`)) problems.add(path, 'FILE_UNKNOWN', 'is no file of a report');
    if (!found.includes(path)) problems.add(path, 'FILE_MISSING', 'is in the manifest and not in the folder');
  }
  for (const path of found) await verifyFile(reader, path, listed.get(path), problems);
  return manifest;
}

async function verifyFile(reader: FolderReader, path: string, listed: ManifestFile | undefined, problems: ReportProblems): Promise<void> {
  if (path === manifestFile) return;
  if (listed === undefined) {
    problems.add(path, 'FILE_UNKNOWN', 'is in the folder and not in the manifest');
    return;
  }
  const bytes = await reader.bytes(path);
  if (bytes !== listed.bytes) {
    problems.add(path, 'DIGEST_MISMATCH', `has ${bytes} bytes; the manifest says ${listed.bytes}`);
    return;
  }
  const found = await reader.digest(path);
  if (found.bytes !== listed.bytes || found.sha256 !== listed.sha256) {
    problems.add(
      path,
      'DIGEST_MISMATCH',
      `has ${found.bytes} bytes and ${found.sha256}; the manifest says ${listed.bytes} and ${listed.sha256}`,
    );
  }
}

async function* counted(pieces: AsyncIterable<Buffer>, { files }: ReportManifest, onProgress: Required<VerifyOptions>['onProgress']) {
  const total = files.find(({ path }) => path === evidenceFile)?.bytes ?? 0;
  let done = 0;
  for await (const piece of pieces) {
    done += piece.length;
    onProgress(done, total);
    yield piece;
  }
}

/** The files against each other. Gives the projections that could not be compared. */
async function verifyContents(
  reader: FolderReader,
  { manifest, present, onProgress }: Required<VerifyOptions> & { manifest: ReportManifest; present: number },
  problems: ReportProblems,
): Promise<string[]> {
  const report = await readReport(reader, problems);
  if (report === null) return [];
  verifyReportDocument(report, manifest, problems);
  const attachments = await verifyAttachments(reader, report.result, manifest, problems);
  const evidence = await verifyEvidence(counted(reader.pieces(evidenceFile), manifest, onProgress), report, problems);
  if (evidence === null) return [];
  const sources = { report, evidence, attachments: attachmentViews(report.result, attachments) };
  return verifyProjections(sources, { ...manifest, present }, problems);
}

async function readReport(reader: FolderReader, problems: ReportProblems): Promise<RunReport | null> {
  const text = await reader.text(reportFile, limits.reportDocumentBytesMax);
  if (text === null) {
    problems.add(reportFile, 'FILE_TOO_LARGE', 'is too large or no UTF-8');
    return null;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    problems.add(reportFile, 'REPORT_INVALID', 'is not JSON');
    return null;
  }
  const checked = validateRunReport(value);
  if (!checked.ok) {
    for (const issue of checked.issues) problems.add(reportFile, 'REPORT_INVALID', `${issue.path}: ${issue.message}`);
    return null;
  }
  if (jsonDocument(value) !== text) problems.add(reportFile, 'REPORT_INVALID', 'is not written as this writer writes it');
  return value as RunReport;
}

function verifyReportDocument(report: RunReport, manifest: ReportManifest, problems: ReportProblems): void {
  const { runId, result, cutShort } = report;
  const add = (code: 'RUN_ID_MISMATCH' | 'VERDICT_MISMATCH' | 'REPORT_INVALID', message: string): void =>
    problems.add(reportFile, code, message);
  if (runId !== manifest.runId || result.identity.runId !== manifest.runId)
    add('RUN_ID_MISMATCH', `is of ${runId}; the manifest is of ${manifest.runId}`);
  verifyNames(report, problems);
  const verdict = resultVerdict(result, cutShort);
  if (verdict !== result.verdict) add('VERDICT_MISMATCH', `says ${result.verdict}; its assertions and agent say ${verdict}`);
  for (const { assertionId, status, judged } of result.assertionResults) {
    const said = judged?.answer === undefined ? 'inconclusive' : judged.answer.passed ? 'passed' : 'failed';
    if (judged !== undefined && status !== said)
      add('VERDICT_MISMATCH', `says ${status} of assertion ${assertionId}; its judge said ${said}`);
  }
  for (const { checkpointId, verdict: stated, assertionResults } of result.checkpoints) {
    const judged = runVerdict(assertionResults);
    if (judged !== stated) add('VERDICT_MISMATCH', `says ${stated} of checkpoint ${checkpointId}; its assertions say ${judged}`);
  }
}

/** What the report says in two places, or beside its digest. */
function verifyNames({ drill, target, result: { identity, setup } }: RunReport, problems: ReportProblems): void {
  const add = (message: string): void => problems.add(reportFile, 'REPORT_INVALID', message);
  if (drill.id !== identity.drillId || setup.drillId !== identity.drillId) add('names two drills');
  if (target.id !== identity.targetId) add('names two targets');
  if (setup.setupHash !== identity.setupHash) add('names two setups');
  if (!orFalse(() => hasItsSetupHash(setup))) add('has another setup than its setupHash is of');
  if (!orFalse(() => jsonDigest(setup.setup.tools.packages) === identity.packageLockHash))
    add('has other packages than its packageLockHash is of');
}

/** What cannot be hashed has no digest. */
function orFalse(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

/** Kept attachments against the descriptors that the report names. */
async function verifyAttachments(
  reader: FolderReader,
  result: RunResult,
  manifest: ReportManifest,
  problems: ReportProblems,
): Promise<Map<string, Preview | null>> {
  const named = new Map(namedAttachments(result).map(({ descriptor }) => [attachmentPath(descriptor), descriptor]));
  const kept = new Map<string, Preview | null>();
  for (const { path, bytes, sha256 } of manifest.files) {
    if (!path.startsWith(`${attachmentFolder}/`)) continue;
    const descriptor = named.get(path);
    if (descriptor === undefined || descriptor.bytes !== bytes || descriptor.hash !== sha256) {
      problems.add(path, 'ATTACHMENT_MISMATCH', descriptor === undefined ? 'is named by no descriptor' : 'is not what its descriptor says');
      continue;
    }
    kept.set(path, await previewOfAttachment(reader.path(path), { mediaType: descriptor.mediaType, bytes }));
  }
  return kept;
}

function verifyProjections(
  sources: ReportSources,
  { files, projectionRevision: revision, present }: ReportManifest & { present: number },
  problems: ReportProblems,
): string[] {
  const digests = new Map(files.map((file) => [file.path, file.sha256]));
  const notCompared: string[] = [];
  for (const [file, project] of Object.entries(projections)) {
    if (digests.get(file) === sha256Digest(project(sources))) continue;
    // run.json is the same in every revision.
    if (revision !== present && file !== 'run.json') notCompared.push(file);
    else problems.add(file, 'PROJECTION_MISMATCH', 'is not what report.json, evidence.jsonl and the attachments make it');
  }
  return notCompared;
}
