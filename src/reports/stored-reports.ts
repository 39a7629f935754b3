// The reports in a directory, for commands that read many: newest first, bounded, and what is no usable report is listed, never skipped.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Digest } from '../contract/digest.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { RunReport } from '../contract/run/run-events.js';
import { validateRunReport } from '../contract/validate/validators.js';
import { compareTexts } from '../text/compare-texts.js';
import { FolderReader } from './folder-reader.js';
import { parseManifest } from './manifest.js';
import { isRunId, manifestFile, reportFile } from './report-folder.js';

export interface StoredReports {
  /** Folders, newest first by modification time, then by name. */
  folders: string[];
  /** Older folders that were left out. */
  more: number;
}

/**
 * A directory that does not exist has no reports; one that cannot be read is control.INVALID_REQUEST. Hidden names are drafts of writers;
 * loose files belong to no report.
 */
export async function listStoredReports(directory: string, max: number = limits.storedReportsMax): Promise<StoredReports> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    const why = error.code === 'ENOTDIR' ? 'is no folder' : `cannot be read (${error.code})`;
    throw new ServiceError('control.INVALID_REQUEST', { message: `${directory} ${why}. Name the folder that holds the reports.` });
  });
  const found: { folder: string; modifiedMs: number }[] = [];
  for (const name of names) {
    if (name.startsWith('.')) continue;
    const folder = join(directory, name);
    const stat = await lstat(folder).catch(() => undefined);
    if (stat !== undefined && (isRunId(name) || stat.isDirectory())) found.push({ folder, modifiedMs: stat.mtimeMs });
  }
  found.sort((left, right) => right.modifiedMs - left.modifiedMs || compareTexts(right.folder, left.folder));
  return { folders: found.slice(0, max).map(({ folder }) => folder), more: Math.max(found.length - max, 0) };
}

/** Whether a folder is one report, rather than a directory of reports. */
export async function isReportFolder(folder: string): Promise<boolean> {
  return (await lstat(join(folder, manifestFile)).catch(() => undefined)) !== undefined;
}

export type StoredReport = { kind: 'read'; report: RunReport } | { kind: 'unavailable'; problem: string };

/** The report document, if it is the one that the manifest speaks of. The journal is not read. */
export async function readStoredReport(folder: string): Promise<StoredReport> {
  try {
    return await readDocument(new FolderReader(folder));
  } catch (error) {
    return { kind: 'unavailable', problem: `cannot be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})` };
  }
}

async function readDocument(reader: FolderReader): Promise<StoredReport> {
  const unavailable = (problem: string): StoredReport => ({ kind: 'unavailable', problem });
  const manifestText = await reader.text(manifestFile, limits.reportManifestBytesMax);
  const parsed = manifestText === null ? { fault: 'is too large or no UTF-8' } : parseManifest(manifestText);
  if ('fault' in parsed) return unavailable(`${manifestFile} ${parsed.fault}`);
  const text = await reader.text(reportFile, limits.reportDocumentBytesMax);
  const listed = parsed.manifest.files.find(({ path }) => path === reportFile);
  if (text === null || listed?.sha256 !== sha256Digest(text)) return unavailable(`${reportFile} is not what ${manifestFile} says`);
  const checked = validateRunReport(JSON.parse(text));
  if (!checked.ok) return unavailable(`${reportFile} is no report: ${checked.issues[0]?.path} ${checked.issues[0]?.message}`);
  if (checked.value.runId !== parsed.manifest.runId) return unavailable(`${reportFile} is of another run than ${manifestFile}`);
  return { kind: 'read', report: checked.value };
}
