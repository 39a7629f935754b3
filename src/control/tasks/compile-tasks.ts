// What the compile worker does, one task at a time. Nothing of a task is left behind in the thread but caches by content.
import { isSoundBuild } from '../../compiler/build-soundness.js';
import { compileProject } from '../../compiler/compile.js';
import { type LibraryPackage, readLibrary } from '../../compiler/library.js';
import { type RowCollection, rowIssues } from '../../compiler/row-checks.js';
import { canonicalJson } from '../../contract/canonical-json.js';
import type { Issue } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import type { CompiledBuild } from '../../contract/run/build.js';
import type { StateNamespace } from '../../contract/world/tool-manifest.js';
import type { BuildSummary, ChosenContent, CompileReply, DatasetTool, UploadedRows } from '../core/services.js';
import { packBuild, unpackBuild } from './build-pack.js';
import { dataChoicesOf } from './chosen-rows-task.js';
import { readUpload } from './dataset-upload-task.js';

export type CompileTask =
  | { kind: 'compile'; root: string; config?: string; choices?: ChosenContent }
  | { kind: 'verify'; summary: BuildSummary; build: Uint8Array }
  | { kind: 'rows'; state: StateNamespace[]; collections: RowCollection[] }
  | { kind: 'upload'; tool: DatasetTool; state: StateNamespace[]; content: Uint8Array }
  | { kind: 'library' };
export interface CompileResults {
  compile: CompileReply;
  verify: boolean;
  rows: Issue[];
  upload: UploadedRows;
  library: LibraryPackage[];
}

export async function runCompileTask(task: CompileTask): Promise<CompileResults[keyof CompileResults]> {
  switch (task.kind) {
    case 'compile':
      return compile(task);
    case 'verify':
      return isBuild(unpackBuild(task.build), task.summary);
    case 'rows':
      return rowIssues(task.state, task.collections, '/collections');
    case 'upload':
      return readUpload(task);
    case 'library':
      return readLibrary();
  }
}

async function compile({ kind: _, choices, ...options }: CompileTask & { kind: 'compile' }): Promise<CompileReply> {
  const chosen = choices === undefined ? {} : { choices: dataChoicesOf(choices) };
  const { build, view, diagnostics } = await compileProject({ ...options, ...chosen, contained: true });
  if (build === undefined) return { diagnostics };
  return { compiled: { summary: summaryOf(build), build: packBuild(build), view: Buffer.from(JSON.stringify(view)) }, diagnostics };
}

function summaryOf({ buildHash, packageLockHash, world, tools, scenarios, drills, targets, suites }: CompiledBuild): BuildSummary {
  return {
    buildHash,
    packageLockHash,
    worldId: world.id,
    tools: tools.map(({ packageId, version, manifestHash, artifactHash }) => ({ packageId, version, manifestHash, artifactHash })),
    scenarioIds: scenarios.map(({ scenario }) => scenario.id),
    drillIds: drills.map(({ drill }) => drill.id),
    targetIds: targets.map(({ id }) => id),
    suiteIds: suites.map(({ id }) => id),
  };
}

/** The worker that compiled it may have lied. */
function isBuild(build: CompiledBuild, summary: BuildSummary): boolean {
  const textOf = (one: BuildSummary): string => canonicalJson(one as unknown as JsonValue);
  return isSoundBuild(build) && textOf(summaryOf(build)) === textOf(summary);
}
