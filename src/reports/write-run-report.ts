// Writes the report folder of one run: `<reportDirectory>/<runId>/` (docs/reports.md).
// The projections are made from what report.json says, read back, so that a member JSON has no place for cannot show in them.
import { join } from 'node:path';
import { invariant } from '../contract/errors.js';
import type { AttachmentDescriptor, RunResult } from '../contract/run/run.js';
import type { CitedEntry, RunReport, StoryLine } from '../contract/run/run-events.js';
import { fileRefusal } from '../files/file-faults.js';
import { attachmentViews, namedAttachments } from './attachments.js';
import { type EvidenceLines, evidenceBytes } from './evidence-pass.js';
import { EvidenceSelection, type EvidenceView } from './evidence-view.js';
import { FolderWriter, settled } from './folder-writer.js';
import type { ReportManifest } from './manifest.js';
import { imageOfBytes, type Preview, previewOfAttachment, previewOfBytes } from './preview.js';
import { previewKind } from './preview-kind.js';
import { jsonDocument, projectionRevision, projections } from './projections.js';
import { attachmentPath, evidenceFile, manifestFile, reportFile, reportFolderName } from './report-folder.js';
import { storyOf } from './story.js';
import { viewJournal } from './view-journal.js';

export interface RunReportInput {
  reportDirectory: string;
  report: RunReport;
  /** The journal from sequence 1 on; each chunk is whole lines of RFC 8785 JSON ended by \n. */
  evidenceLines: EvidenceLines;
  /** The bytes of attachments that `report` names. A named attachment that is not given is shown as not kept. */
  attachments?: readonly ReportAttachment[];
}
export type ReportAttachment = { descriptor: AttachmentDescriptor } & ({ bytes: Uint8Array } | { path: string });

export interface WrittenReport {
  folder: string;
  /** The entries that assertions refer to, for terminals. */
  cited: CitedEntry[];
  story: StoryLine[];
}

/**
 * Rejects, leaving nothing behind, when the run's folder exists, when a write fails (a ServiceError that names the folder and the cause),
 * or when report, evidence and attachments do not belong together.
 */
export async function writeRunReport({ reportDirectory, report, evidenceLines, attachments = [] }: RunReportInput): Promise<WrittenReport> {
  invariant(report.runId === report.result.identity.runId, 'a report is of its own run');
  try {
    return await write({ reportDirectory, report, evidenceLines, attachments });
  } catch (error) {
    const place = join(reportDirectory, reportFolderName(report.runId));
    throw error instanceof Error && 'syscall' in error ? fileRefusal(`The report ${place} could not be written`, place, error) : error;
  }
}

async function write({ reportDirectory, report, evidenceLines, attachments }: Required<RunReportInput>): Promise<WrittenReport> {
  const writer = await FolderWriter.begin({ parent: reportDirectory, name: reportFolderName(report.runId) });
  try {
    const text = jsonDocument(report);
    const read = JSON.parse(text) as RunReport;
    const { result } = read;
    const [evidence, kept] = await settled([
      writeEvidence(writer, result, evidenceLines),
      writeAttachments(writer, result, attachments),
      writer.write(reportFile, text),
    ]);
    const sources = { report: read, evidence, attachments: attachmentViews(result, kept) };
    await settled(Object.entries(projections).map(([file, project]) => writer.write(file, project(sources))));
    await writer.write(manifestFile, jsonDocument(manifestOf(report.runId, writer)));
    return { folder: await writer.publish(), cited: evidence.cited, story: storyOf(read, viewJournal(evidence)) };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

async function writeEvidence(writer: FolderWriter, result: RunResult, lines: EvidenceLines): Promise<EvidenceView> {
  const selection = new EvidenceSelection(result);
  await writer.writeStream(evidenceFile, evidenceBytes(lines, selection));
  const view = selection.view();
  const { toSequence } = result.evidenceRange;
  invariant(view.total === toSequence, `the journal ends at ${toSequence}, and ${view.total} of its entries were given`);
  return view;
}

/** By path: the preview of each attachment that is kept. */
async function writeAttachments(
  writer: FolderWriter,
  result: RunResult,
  attachments: readonly ReportAttachment[],
): Promise<Map<string, Preview | null>> {
  const named = new Map(namedAttachments(result).map(({ descriptor }) => [descriptor.id, descriptor]));
  const kept = new Map<string, Preview | null>();
  for (const attachment of attachments) {
    const descriptor = named.get(attachment.descriptor.id);
    invariant(descriptor !== undefined, `the report names the attachment ${attachment.descriptor.id}`);
    const path = attachmentPath(descriptor);
    invariant(path !== null && !kept.has(path), `the attachment ${descriptor.id} has an id that can be a name`);
    const file = await ('bytes' in attachment ? writer.write(path, attachment.bytes) : writer.copy(path, attachment.path));
    invariant(
      file.bytes === descriptor.bytes && file.sha256 === descriptor.hash,
      `the attachment ${descriptor.id} is what its descriptor says`,
    );
    kept.set(path, await previewOf(attachment));
  }
  return kept;
}

async function previewOf({ descriptor, ...attachment }: ReportAttachment): Promise<Preview | null> {
  if (!('bytes' in attachment)) return previewOfAttachment(attachment.path, descriptor);
  const kind = previewKind(descriptor);
  if (kind === 'image') return imageOfBytes(attachment.bytes, descriptor.mediaType);
  return kind === 'text' ? previewOfBytes(attachment.bytes) : null;
}

function manifestOf(runId: string, writer: FolderWriter): ReportManifest {
  return { schemaVersion: 1, runId, projectionRevision, files: writer.files() };
}
