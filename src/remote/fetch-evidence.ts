// The evidence bundle of a hosted run, fetched into a report folder as a local run writes one: whole or not there at all, and every byte as
// the service's record says. Names come from its manifest, so they are believed only where a report folder has such names.
//   FETCH-EVIDENCE-1. Each file has tries of its own, and is not fetched again for the sake of another.
//   FETCH-EVIDENCE-2. Nothing is at the place of the report before it has been found good.
import { refusalIn } from '../client/exchange.js';
import { type RetryRules, withRetries } from '../client/retry.js';
import { sha256Digest } from '../contract/digest.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { FolderWriter } from '../reports/folder-writer.js';
import { type ManifestFile, parseManifest, type ReportManifest } from '../reports/manifest.js';
import { attachmentFolder, manifestFile, reportFolderName } from '../reports/report-folder.js';
import type { Remote } from './connection.js';

export interface EvidencePlace {
  evidenceBundleId: string;
  runId: string;
  reportDirectory: string;
}
/** The report as it was fetched, and what was found in it. */
export interface FetchedFolder<T> {
  folder: string;
  found: T;
}

/**
 * control.DATA_DAMAGED for what is not as it was sealed. A full disk rejects as the file system says it. What `look` rejects with is
 * thrown, and nothing stays; it is given the folder before that has its name.
 */
export async function fetchEvidence<T>(
  remote: Remote,
  place: EvidencePlace,
  { look, signal }: { look: (draft: string) => Promise<T>; signal: AbortSignal },
): Promise<FetchedFolder<T>> {
  const { client, projectId } = remote;
  const { evidence } = await client.getEvidenceBundle({ path: { projectId, evidenceBundleId: place.evidenceBundleId } }, { signal });
  const fetching = new Fetching(remote, place, signal);
  const { text, manifest } = await fetching.manifest(evidence.manifestDigest);
  return await fetching.folder(text, manifest, look);
}

class Fetching {
  readonly #remote: Remote;
  readonly #place: EvidencePlace;
  readonly #rules: RetryRules;

  constructor(remote: Remote, place: EvidencePlace, signal: AbortSignal) {
    this.#remote = remote;
    this.#place = place;
    this.#rules = { timeoutMs: limits.remoteDownloadTimeoutMs, signal };
  }

  async manifest(digest: string | undefined): Promise<{ text: string; manifest: ReportManifest }> {
    const bytes = await withRetries(this.#rules, async (signal) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of this.#pieces(manifestFile, limits.reportManifestBytesMax, signal)) pieces.push(piece);
      return Buffer.concat(pieces);
    });
    if (sha256Digest(bytes) !== digest) throw this.#damaged(`its manifest is not the one that was sealed`);
    const text = bytes.toString('utf8');
    const parsed = parseManifest(text);
    if ('fault' in parsed) throw this.#damaged(`its manifest ${parsed.fault}`);
    const { manifest } = parsed;
    if (manifest.runId !== this.#place.runId) throw this.#damaged(`it is of the run ${manifest.runId}`);
    requireBounded(manifest, (why) => this.#damaged(why));
    return { text, manifest };
  }

  async folder<T>(manifestText: string, { files }: ReportManifest, look: (draft: string) => Promise<T>): Promise<FetchedFolder<T>> {
    const { reportDirectory, runId } = this.#place;
    const writer = await FolderWriter.begin({ parent: reportDirectory, name: reportFolderName(runId) });
    try {
      for (const file of files) await this.#file(writer, file);
      await writer.write(manifestFile, manifestText);
      const found = await look(writer.draft);
      return { folder: await writer.publish(), found };
    } catch (error) {
      await writer.discard();
      throw error;
    }
  }

  async #file(writer: FolderWriter, { path, bytes, sha256 }: ManifestFile): Promise<void> {
    const written = await withRetries(this.#rules, (signal) => writer.writeStream(path, this.#pieces(path, bytes, signal)));
    if (written.bytes !== bytes || written.sha256 !== sha256) throw this.#damaged(`${path} is not the file that was sealed`);
  }

  async *#pieces(path: string, bytesMax: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { url, credential, projectId } = this.#remote;
    const place = `${url}/v1/projects/${projectId}/evidence/${this.#place.evidenceBundleId}/artifacts?${new URLSearchParams({ path })}`;
    const reply = await fetch(place, { headers: { authorization: `Bearer ${credential}` }, redirect: 'error', signal });
    if (!reply.ok || reply.body === null) throw await refusalIn(reply);
    let left = bytesMax;
    for await (const piece of reply.body) {
      left -= piece.length;
      if (left < 0) throw this.#damaged(`${path} is larger than its manifest says`);
      yield piece;
    }
  }

  #damaged(why: string): ServiceError {
    const { evidenceBundleId } = this.#place;
    return new ServiceError('control.DATA_DAMAGED', {
      message: `The evidence bundle ${evidenceBundleId} is not taken: ${why}.`,
      details: { evidenceBundleId },
    });
  }
}

const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

function requireBounded({ files }: ReportManifest, damaged: (why: string) => ServiceError): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (files.length > limits.reportFilesMax || bytes > limits.remoteEvidenceBytesMax) {
    throw damaged(`it has ${files.length} files of ${bytes} bytes; ${limits.reportFilesMax} of ${limits.remoteEvidenceBytesMax} are taken`);
  }
  for (const { path } of files) {
    const name = path.startsWith(`${attachmentFolder}/`) ? path.slice(attachmentFolder.length + 1) : path;
    if (!plainName.test(name) || path === manifestFile)
      throw damaged(`a report has no file ${JSON.stringify(path.slice(0, limits.quotedValueCharsMax))}`);
  }
}
