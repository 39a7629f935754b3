// Builds as they lie in the catalog: attempts, the builds of each project, and the compiled content that equal builds of all projects
// share.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { Build, BuildAttempt } from '../../contract/hosted/source.js';
import type { CompiledBuild } from '../../contract/run/build.js';
import type { ProjectView } from '../../contract/run/project-view.js';
import { noteStorage } from '../catalog/storage-use.js';
import { type Change, defineTable, type View } from '../catalog/tables.js';
import type { BuildSummary, WorldServices } from '../core/services.js';
import { unpackBuild } from '../tasks/build-pack.js';

export const buildTable = defineTable<Build>({
  name: 'build',
  idOf: ({ projectId, buildHash }) => `${projectId} ${buildHash}`,
  indexes: { byProject: ({ projectId, createdAtMs }) => [projectId, createdAtMs] },
});

/** By build hash: content addressed, so no project owns it; a project reaches it through its own Build only. */
export interface BuildContent {
  buildHash: string;
  /** Digests of blobs (build-pack.ts). */
  build: string;
  view: string;
  /** Of both. Absent where an early version put it. */
  bytes?: number;
}
export const buildContentTable = defineTable<BuildContent>({
  name: 'build-content',
  idOf: ({ buildHash }) => buildHash,
  indexes: { all: () => [] },
});

export interface BuildAttemptRecord {
  attempt: BuildAttempt;
  organizationId: string;
  projectId: string;
  /** The setup that asked for it. */
  setupId?: string;
  /** Whether it uses the data choices of its revision: they were made before it was asked for. */
  withChoices: boolean;
}
export const buildAttemptTable = defineTable<BuildAttemptRecord>({
  name: 'build-attempt',
  idOf: ({ attempt }) => attempt.attemptId,
  // Ids rise with time: the last of an index is the newest.
  indexes: {
    succeededByRevision: ({ attempt, withChoices }) =>
      attempt.state === 'succeeded' ? [attempt.sourceDraftId, attempt.sourceRevision, Number(withChoices)] : undefined,
    unended: ({ attempt }) => (attempt.finishedAtMs === undefined ? [] : undefined),
    byRevision: ({ attempt, withChoices }) => [attempt.sourceDraftId, attempt.sourceRevision, Number(withChoices)],
  },
});

interface Place {
  organizationId: string;
  projectId: string;
  buildHash: string;
}

/** As its project sees it. control.NOT_FOUND for one that does not exist and for one of another project alike. */
export function requireBuild(view: View, place: Place): Build {
  const build = view.get(buildTable, `${place.projectId} ${place.buildHash}`);
  if (build !== undefined && build.organizationId === place.organizationId) return build;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such build.' });
}

export interface NewBuild {
  organizationId: string;
  projectId: string;
  summary: BuildSummary;
  content: Omit<BuildContent, 'buildHash'>;
  source?: NonNullable<Build['source']>;
  nowMs: number;
}
/** A build of a project. Of equal builds the first stays as it is. */
export function putBuild(tx: Change, { organizationId, projectId, summary, content, source, nowMs }: NewBuild): Build {
  const { buildHash } = summary;
  if (tx.get(buildContentTable, buildHash) === undefined) tx.put(buildContentTable, { buildHash, ...content });
  const known = tx.get(buildTable, `${projectId} ${buildHash}`);
  if (known !== undefined) return known;
  const build: Build = {
    schemaVersion: 1,
    organizationId,
    projectId,
    ...summary,
    ...defined({ source }),
    createdAtMs: nowMs,
  };
  tx.put(buildTable, build);
  noteStorage(tx, { ownerId: buildTable.idOf(build), organizationId, projectId, bytes: contentOf(tx, buildHash).bytes ?? 0 });
  return build;
}

type BuildReader = Pick<WorldServices, 'catalog' | 'blobs' | 'loadedBuilds' | 'loadedViews'>;
/** The compiled build of a hash that a project's own record has led to (`requireBuild`, a session, a run). */
export function loadBuild(reader: BuildReader, buildHash: string): Promise<CompiledBuild> {
  const { catalog, blobs, loadedBuilds } = reader;
  return loadedBuilds.get(buildHash, async () => {
    const bytes = await blobs.get(contentOf(catalog.view, buildHash).build);
    return { value: unpackBuild(bytes), bytes: bytes.length };
  });
}

/** The compiled project view. */
export function loadBuildView(reader: BuildReader, buildHash: string): Promise<ProjectView> {
  const { catalog, blobs, loadedViews } = reader;
  return loadedViews.get(buildHash, async () => {
    const bytes = await blobs.get(contentOf(catalog.view, buildHash).view);
    return { value: JSON.parse(Buffer.from(bytes).toString()) as ProjectView, bytes: bytes.length };
  });
}

export function contentOf(view: View, buildHash: string): BuildContent {
  const content = view.get(buildContentTable, buildHash);
  if (content === undefined) throw new Error(`there is no content of build ${buildHash}`);
  return content;
}
