// What the world of a draft's current revision starts with, row by row, as its newest build has it.
import { namedInstances } from '../../compiler/setups.js';
import { defined } from '../../contract/defined.js';
import type { SourceBaseline, SourceDataChoices } from '../../contract/hosted/resources.js';
import type { SourceDraft } from '../../contract/hosted/source.js';
import type { JsonObject } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { CompiledBuild, CompiledTool } from '../../contract/run/build.js';
import type { JsonSchema } from '../../contract/world/tool-manifest.js';
import { compareTexts } from '../../text/compare-texts.js';
import { type BuildAttemptRecord, buildAttemptTable, loadBuild, loadBuildView } from '../builds/build-records.js';
import type { EndpointSet } from '../catalog/endpoint.js';
import type { View } from '../catalog/tables.js';
import type { ControlServices } from '../core/services.js';
import { dataChoicesTable, requireDraft, requireRevision, revisionKey } from '../source/source-records.js';
import { loadTree, readSourceFile } from '../source/source-trees.js';

type Collection = SourceBaseline['collections'][number];

export function baselineEndpoints(services: ControlServices): EndpointSet<'getSourceBaseline'> {
  return {
    getSourceBaseline: {
      kind: 'read',
      run: (view, { caller, path }) => {
        const place = { ...path, organizationId: caller.organizationId };
        const { currentRevision: revision } = requireDraft(view, place);
        return baselineOf(services, view, requireRevision(view, { ...place, revision }).draft);
      },
    },
  };
}

async function baselineOf(services: ControlServices, view: View, draft: SourceDraft): Promise<SourceBaseline> {
  const { organizationId, projectId, sourceDraftId, currentRevision: revision, version, sourceDigest } = draft;
  const choices = view.get(dataChoicesTable, revisionKey(sourceDraftId, revision));
  const source = { organizationId, projectId, sourceDraftId, revision, version, sourceDigest };
  const start = { schemaVersion: 1, source } as const;
  const buildHash = newestAttempt(view, draft, { choices, index: 'succeededByRevision' })?.attempt.buildHash;
  if (buildHash === undefined) {
    const reason = unavailableReason(draft, newestAttempt(view, draft, { choices, index: 'byRevision' }));
    return { ...start, eligibility: 'unavailable', reason, collections: [] };
  }
  const build = await loadBuild(services, { projectId, buildHash });
  const tools = toolsOf(build);
  const reason = unsupportedReason(tools);
  if (reason !== undefined) return { ...start, eligibility: 'unsupported', reason, buildHash, collections: [] };
  const collections = collectionsOf(build, tools, choices);
  return { ...start, eligibility: 'available', buildHash, ...(await worldFile(services, draft, buildHash)), collections };
}

/** Of those with the data choices of the revision as they are now. */
function newestAttempt(
  view: View,
  { sourceDraftId, currentRevision }: SourceDraft,
  { choices, index }: { choices: SourceDataChoices | undefined; index: 'succeededByRevision' | 'byRevision' },
): BuildAttemptRecord | undefined {
  const prefix = [sourceDraftId, currentRevision, Number(choices !== undefined)];
  return view.list(buildAttemptTable, { index, prefix, limit: 1, reverse: true }).records[0];
}

function unavailableReason({ currentRevision }: SourceDraft, newest: BuildAttemptRecord | undefined): string {
  const revision = `Revision ${currentRevision}`;
  switch (newest?.attempt.state) {
    case undefined:
      return `${revision} has not been built with its present data choices.`;
    case 'failed':
      return `${revision} does not compile.`;
    case 'cancelled':
      return `The build of revision ${currentRevision} was cancelled.`;
    default:
      return `${revision} is being built.`;
  }
}

async function worldFile(services: ControlServices, draft: SourceDraft, buildHash: string) {
  const { projectId, sourceDraftId, currentRevision, sourceDigest } = draft;
  const path = (await loadBuildView(services, { projectId, buildHash })).world?.provenance.file;
  const tree = await loadTree(sourceDigest, services.blobs);
  const digest = path === undefined ? undefined : tree.get(path)?.digest;
  // An equal build may come from another draft, where the file lies elsewhere.
  if (path === undefined || digest === undefined) return {};
  const content = (await readSourceFile(tree, path, services.blobs)) ?? '';
  return { file: { sourceDraftId, revision: currentRevision, path, digest, content } };
}

interface ToolInstances {
  tool: CompiledTool;
  instanceIds: string[];
}
function toolsOf({ baseline, tools }: CompiledBuild): ToolInstances[] {
  const instances = new Map(tools.map(({ packageId }) => [packageId, new Set([packageId])]));
  for (const name of namedInstances(baseline.setup)) {
    const [packageId, instanceId] = name.split(' ') as [string, string];
    instances.get(packageId)?.add(instanceId);
  }
  return tools.map((tool) => ({ tool, instanceIds: [...instances.get(tool.packageId)!].sort() }));
}

/** Asked before anything is made: each instance has each namespace of its tool, with the schema. */
function unsupportedReason(tools: readonly ToolInstances[]): string | undefined {
  const { baselineCollectionsMax, baselineSchemasBytesMax } = limits;
  let [collections, bytes] = [0, 0];
  for (const { tool, instanceIds } of tools) {
    collections += instanceIds.length * tool.manifest.state.length;
    for (const { schema } of tool.manifest.state) bytes += instanceIds.length * Buffer.byteLength(JSON.stringify(schema));
  }
  if (collections > baselineCollectionsMax)
    return `The world has ${collections} collections; at most ${baselineCollectionsMax} can be shown.`;
  if (bytes <= baselineSchemasBytesMax) return undefined;
  return `The schemas of all collections have ${bytes} bytes; at most ${baselineSchemasBytesMax} can be shown.`;
}

function collectionsOf(build: CompiledBuild, tools: readonly ToolInstances[], choices: SourceDataChoices | undefined): Collection[] {
  const rows = rowsOf(build.baseline.setup.state);
  const chosen = new Set(
    choices?.target.kind === 'baseline' ? choices.selections.map(({ packageId, instanceId }) => `${packageId} ${instanceId}`) : [],
  );
  let left: number = limits.baselineRecordsMax;
  return tools.flatMap(({ tool, instanceIds }) =>
    instanceIds.flatMap((instanceId) =>
      tool.manifest.state.map(({ namespace, schema }): Collection => {
        const all = rows.get(`${tool.packageId} ${instanceId} ${namespace}`) ?? new Map<string, JsonObject>();
        const records = [...all].slice(0, left).map(([rowId, value]) => ({ rowId, value }));
        left -= records.length;
        const reason = chosen.has(`${tool.packageId} ${instanceId}`)
          ? 'The rows come from a dataset that was chosen for this revision.'
          : records.length < all.size
            ? `Only the first ${records.length} records are shown.`
            : undefined;
        return {
          packageId: tool.packageId,
          instanceId,
          namespace,
          schema: schemaObject(schema),
          editable: reason === undefined,
          ...defined({ reason }),
          recordCount: all.size,
          records,
        };
      }),
    ),
  );
}

/** By `packageId instanceId namespace`, then by row id, in the order of row ids. */
function rowsOf(state: CompiledBuild['baseline']['setup']['state']): Map<string, Map<string, JsonObject>> {
  const found = new Map<string, Map<string, JsonObject>>();
  for (const patch of state) {
    const key = `${patch.packageId} ${patch.instanceId ?? patch.packageId} ${patch.namespace}`;
    const rows = found.get(key) ?? new Map<string, JsonObject>();
    found.set(key, rows);
    if (patch.action === 'upsert') rows.set(patch.rowId, patch.value);
    else rows.delete(patch.rowId);
  }
  return new Map([...found].map(([key, rows]) => [key, new Map([...rows].sort(([left], [right]) => compareTexts(left, right)))]));
}

/** `true` and `false` are schemas as well, written here as the objects that mean the same. */
function schemaObject(schema: JsonSchema): JsonObject {
  return typeof schema === 'object' ? schema : schema ? {} : { not: {} };
}
