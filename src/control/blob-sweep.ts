// Removes blobs that no record leads to any more: of deleted drafts, closed conversations, attachments that are sealed in their bundles.
//   BLOB-SWEEP-1. What is referenced when the sweep begins, or comes to be during it, stays: what was put lately is left alone
//     (blobs.ts), and records are read in the direction in which references move, from conversations and attempts to drafts.
//   BLOB-SWEEP-2. Anything that cannot be read ends the sweep before it removes anything.
import { limits } from '../contract/limits.js';
import { authoringTable } from './authoring/authoring-records.js';
import { buildAttemptTable, buildContentTable, buildTable } from './builds/build-records.js';
import { everyListed, type View } from './catalog/tables.js';
import type { ControlServices } from './core/services.js';
import { attachmentTable } from './runs/attachment-records.js';
import { evidenceTable } from './runs/evidence-records.js';
import { ofRun, runTable } from './runs/records.js';
import { datasetRevisionTable } from './source/dataset-records.js';
import { type SourceRevisionRecord, sourceDraftTable, sourceRevisionTable } from './source/source-records.js';
import { loadTree } from './source/source-trees.js';

/** Yields how many went. */
export async function sweepBlobs(services: ControlServices, { keptMs = limits.blobUnreferencedKeptMs } = {}): Promise<number> {
  const beforeMs = Date.now() - keptMs;
  const referenced = await referencedBlobs(services);
  let removed = 0;
  for await (const digest of services.blobs.digests()) {
    if (services.removals.areHeld) break;
    if (!referenced.has(digest) && (await services.blobs.removeOld(digest, beforeMs))) removed += 1;
  }
  return removed;
}

/** A blob that a record leads to. */
export interface BlobRoot {
  digest: string;
  /** It is a tree, which leads to the blobs of its files. */
  isTree: boolean;
  /** False: announced, and perhaps not there so far. */
  isKept: boolean;
  /** The record, in words. */
  owner: string;
}

export function* blobRoots(view: View, nowMs: number): Generator<BlobRoot> {
  const root = (digest: string, owner: string, isTree = false): BlobRoot => ({ digest, owner, isTree, isKept: true });
  for (const { sourceDigest, session } of everyListed(view, authoringTable, { index: 'active', prefix: [] })) {
    if (sourceDigest !== undefined) yield root(sourceDigest, `the conversation ${session.authoringSessionId}`, true);
  }
  for (const { attempt } of everyListed(view, buildAttemptTable, { index: 'unended', prefix: [] }))
    yield root(attempt.sourceDigest, `the build attempt ${attempt.attemptId}`, true);
  for (const revision of everyListed(view, sourceRevisionTable, { index: 'all', prefix: [] })) {
    const { sourceDraftId, sourceDigest } = revision;
    if (isHeld(view, revision, nowMs)) yield root(sourceDigest, `revision ${revision.revision} of the draft ${sourceDraftId}`, true);
  }
  for (const { digest, datasetId, revision } of everyListed(view, datasetRevisionTable, { index: 'all', prefix: [] }))
    yield root(digest, `revision ${revision} of the dataset ${datasetId}`);
  for (const { content, buildHash, projectId } of everyListed(view, buildTable, { index: 'byProject', prefix: [] })) {
    if (content === undefined) continue;
    for (const digest of [content.build, content.view]) yield root(digest, `the build ${buildHash} of the project ${projectId}`);
  }
  for (const content of everyListed(view, buildContentTable, { index: 'all', prefix: [] })) {
    for (const digest of [content.build, content.view]) yield root(digest, `the build ${content.buildHash}`);
  }
  for (const { archive, bundle } of everyListed(view, evidenceTable, { index: 'byArchive', prefix: [] })) {
    // Another machine may have it alone.
    if (archive !== undefined) yield { ...root(archive, `the evidence ${bundle.evidenceBundleId}`), isKept: false };
  }
  for (const { run } of everyListed(view, runTable, { index: 'unended', prefix: [] })) {
    for (const { attachment } of ofRun(view, attachmentTable, run.hostedRunId)) {
      yield { ...root(attachment.hash, `an attachment of the run ${run.hostedRunId}`), isKept: attachment.state === 'available' };
    }
  }
}

async function referencedBlobs({ blobs, nowMs, catalog }: ControlServices): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const trees = new Set<string>();
  for (const { digest, isTree } of blobRoots(catalog.view, nowMs())) {
    found.add(digest);
    if (isTree) trees.add(digest);
  }
  for (const sourceDigest of trees) for (const { digest } of (await loadTree(sourceDigest, blobs)).values()) found.add(digest);
  return found;
}

/** Those of a deleted draft a little longer: a request that began with one before may still use it. */
function isHeld(view: View, { sourceDraftId }: SourceRevisionRecord, nowMs: number): boolean {
  const deletedAtMs = view.get(sourceDraftTable, sourceDraftId)?.deletedAtMs;
  return deletedAtMs === undefined || deletedAtMs > nowMs - limits.blobUnreferencedKeptMs;
}
