// manifest.json: every other file of a report folder with its size and digest.
import { isRecord } from '../contract/json.js';
import { manifestFile } from './report-folder.js';

export interface ReportManifest {
  schemaVersion: 1;
  runId: string;
  /** Which writer made the projections (PROJECTIONS-2). */
  projectionRevision: number;
  /** Ordered by path. */
  files: ManifestFile[];
}
export interface ManifestFile {
  path: string;
  bytes: number;
  sha256: string;
}

/** The manifest in a text, or what is wrong with it. */
export function parseManifest(text: string): { manifest: ReportManifest } | { fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'is not JSON' };
  }
  if (!isClosedObject(value, ['schemaVersion', 'runId', 'projectionRevision', 'files']))
    return { fault: 'is not an object with exactly the members of a manifest' };
  if (value.schemaVersion !== 1) return { fault: 'has another schemaVersion than 1' };
  if (typeof value.runId !== 'string') return { fault: 'has no runId' };
  if (!Number.isSafeInteger(value.projectionRevision)) return { fault: 'has no projectionRevision' };
  if (!Array.isArray(value.files) || !value.files.every(isManifestFile)) return { fault: 'lists a file without path, bytes or sha256' };
  const paths = value.files.map((file) => file.path);
  if (new Set(paths).size < paths.length) return { fault: 'lists a file twice' };
  if (paths.includes(manifestFile)) return { fault: 'lists itself' };
  return { manifest: value as unknown as ReportManifest };
}

function isManifestFile(value: unknown): value is ManifestFile {
  if (!isClosedObject(value, ['path', 'bytes', 'sha256'])) return false;
  return typeof value.path === 'string' && Number.isSafeInteger(value.bytes) && /^sha256:[0-9a-f]{64}$/.test(String(value.sha256));
}

function isClosedObject(value: unknown, members: readonly string[]): value is { [name: string]: unknown } {
  if (!isRecord(value)) return false;
  const names = Object.keys(value);
  return names.length === members.length && members.every((name) => names.includes(name));
}
