// Builds as they lie in the catalog: attempts, and the builds of each project with their content.
//   BUILD-RECORDS-1. What runs of a build, what is shown of it and what it counts as is what its own project sent. Builds of one hash may
//     differ in what no hash covers, as names of files and diagnostics.
//   BUILD-RECORDS-2. A build of an early version has the content that was put first under its hash, until its project builds it again.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { Build, BuildAttempt } from '../../contract/hosted/source.js';
import type { CompiledBuild } from '../../contract/run/build.js';
import type { ProjectView } from '../../contract/run/project-view.js';
import { noteStorage } from '../catalog/storage-use.js';
import { type Change, defineTable, type View } from '../catalog/tables.js';
import type { BuildSummary, WorldServices } from '../core/services.js';
import { unpackBuild } from '../tasks/build-pack.js';

/** Digests of blobs (build-pack.ts). */
interface Content {
  build: string;
  view: string;
}
export interface OwnContent extends Content {
  /** Of both. */
  bytes: number;
}
/** As the catalog has it. */
export interface BuildRecord extends Build {
  /** Absent where an early version put the record. */
  content?: OwnContent;
}
export const buildTable = defineTable<BuildRecord>({
  name: 'build',
  idOf: ({ projectId, buildHash }) => `${projectId} ${buildHash}`,
  indexes: { byProject: ({ projectId, createdAtMs }) => [projectId, createdAtMs] },
});

/** What was put first under a hash: for builds of early versions, and for nodes of one in a cluster. */
export interface BuildContent extends Content {
  buildHash: string;
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
  projectId: string;
  buildHash: string;
}
const recordOf = (view: View, { projectId, buildHash }: Place): BuildRecord | undefined =>
  view.get(buildTable, `${projectId} ${buildHash}`);

/** As its project sees it. */
export function buildOf({ content: _, ...build }: BuildRecord): Build {
  return build;
}

/** control.NOT_FOUND for one that does not exist and for one of another project alike. */
export function requireBuild(view: View, { organizationId, ...place }: Place & { organizationId: string }): Build {
  const record = recordOf(view, place);
  if (record !== undefined && record.organizationId === organizationId) return buildOf(record);
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such build.' });
}

export interface NewBuild {
  organizationId: string;
  projectId: string;
  summary: BuildSummary;
  content: OwnContent;
  source?: NonNullable<Build['source']>;
  nowMs: number;
}
/** A build of a project. Of equal builds of it the first stays as it is. */
export function putBuild(tx: Change, { organizationId, projectId, summary, content, source, nowMs }: NewBuild): Build {
  const { buildHash } = summary;
  if (tx.get(buildContentTable, buildHash) === undefined) tx.put(buildContentTable, { buildHash, ...content });
  const known = recordOf(tx, { projectId, buildHash });
  if (known?.content !== undefined) return buildOf(known);
  const build: Build = known ?? {
    schemaVersion: 1,
    organizationId,
    projectId,
    ...summary,
    ...defined({ source }),
    createdAtMs: nowMs,
  };
  tx.put(buildTable, { ...build, content });
  noteStorage(tx, { ownerId: buildTable.idOf(build), organizationId, projectId, bytes: content.bytes });
  return build;
}

type BuildReader = Pick<WorldServices, 'catalog' | 'blobs' | 'loadedBuilds' | 'loadedViews'>;
/** The compiled build of a project. */
export async function loadBuild({ catalog, blobs, loadedBuilds }: BuildReader, place: Place): Promise<CompiledBuild> {
  const { build } = contentOf(catalog.view, place);
  return await loadedBuilds.get(build, async () => {
    const bytes = await blobs.get(build);
    return { value: unpackBuild(bytes), bytes: bytes.length };
  });
}
/** The same where it is in memory already. */
export function findLoadedBuild({ loadedBuilds }: BuildReader, view: View, place: Place): CompiledBuild | undefined {
  return loadedBuilds.find(contentOf(view, place).build);
}

/** The compiled project view. */
export async function loadBuildView({ catalog, blobs, loadedViews }: BuildReader, place: Place): Promise<ProjectView> {
  const { view } = contentOf(catalog.view, place);
  return await loadedViews.get(view, async () => {
    const bytes = await blobs.get(view);
    return { value: JSON.parse(Buffer.from(bytes).toString()) as ProjectView, bytes: bytes.length };
  });
}

/** Of a build that the project has. */
export function contentOf(view: View, place: Place): Content {
  const record = recordOf(view, place);
  const content = record && (record.content ?? view.get(buildContentTable, place.buildHash));
  if (content === undefined) throw new Error(`there is no content of build ${place.buildHash} in ${place.projectId}`);
  return content;
}
