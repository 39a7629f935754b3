// From a compiled tool to one that can run: schemas ready to compile, behavior compiled once a thread, one fresh instance a world.
import { LruMap } from '../collections/lru-map.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { CompiledTool } from '../contract/run/build.js';
import { graphqlRouteId } from '../contract/world/tool-graphql.js';
import type { ToolManifest } from '../contract/world/tool-manifest.js';
import { toolCodecs } from './codecs.js';
import type { LoadedTool } from './loaded-tool.js';
import { type RealmBehavior, threadRealm } from './realm.js';
import { lazyValidator } from './schemas.js';

/** By content, so a thread that serves many builds holds each tool once. */
const loaded = new LruMap<string, LoadedTool>({ entriesMax: limits.loadedToolsMax });

/** Throws `world.HANDLER_FAILED` for code that does not compile. */
export function loadTool(compiled: CompiledTool): LoadedTool {
  return loaded.getOrMake(`${compiled.artifactHash} ${compiled.manifestHash}`, () => load(compiled));
}

function load(compiled: CompiledTool): LoadedTool {
  const { manifest, packageId } = compiled;
  const realm = threadRealm();
  const evaluate = evaluator(compiled);
  const makeBehavior = (): RealmBehavior => {
    const behavior = guarded(packageId, evaluate);
    const missing = realm.missingHandlers(behavior, wantedHandlers(manifest));
    if (missing.length > 0) throw loadFailure(packageId, `its behavior lacks ${missing.join(', ')}`, { missing });
    return behavior;
  };
  // Of a declarative tool the behavior is ours.
  let isChecked = compiled.behavior === null;
  return {
    manifest,
    packageId,
    artifactHash: compiled.artifactHash,
    realm,
    operations: new Map(
      manifest.operations.map((operation) => [
        operation.id,
        {
          operation,
          validateInput: lazyValidator(operation.inputSchema),
          validateOutput: lazyValidator(operation.outputSchema),
          declaredErrors: new Map((operation.declaredErrors ?? []).map(({ code, retryable }) => [code, { retryable: retryable ?? false }])),
        },
      ]),
    ),
    namespaces: new Map(manifest.state.map((namespace) => [namespace.namespace, { namespace, validate: lazyValidator(namespace.schema) }])),
    events: new Map(manifest.events.map((event) => [event.id, { event, validatePayload: lazyValidator(event.payloadSchema) }])),
    faults: new Map(manifest.faults.map((fault) => [fault.id, fault])),
    routes: new Map(manifest.http.map((route) => [route.id, route])),
    subscriptions: manifest.subscriptions,
    check: () => {
      if (!isChecked) makeBehavior();
      isChecked = true;
    },
    instantiate: (calls) => realm.bind(makeBehavior(), calls, manifest.capabilities),
    codecs: () => toolCodecs(makeBehavior()),
  };
}

function evaluator({ packageId, behavior, manifest }: CompiledTool): () => RealmBehavior {
  const realm = threadRealm();
  if (behavior === null) {
    const namespaces = manifest.state.map(({ namespace }) => namespace);
    return () => realm.evaluateDeclarative(namespaces);
  }
  const bundle = guarded(packageId, () => realm.compileBundle(behavior.code, packageId));
  return () => realm.evaluateBundle(bundle);
}

function guarded<T>(packageId: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw loadFailure(packageId, threadRealm().describe(error));
  }
}

function loadFailure(packageId: string, reason: string, more: { missing?: string[] } = {}): ServiceError {
  return new ServiceError('world.HANDLER_FAILED', {
    message: `Tool '${packageId}' cannot be loaded: ${reason}.`,
    details: { packageId, ...more },
  });
}

function wantedHandlers({ operations, subscriptions, http, callbacks, wire, graphql }: ToolManifest) {
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
  return {
    operations: ids(operations),
    subscriptions: ids(subscriptions),
    http: [...ids(http), ...(graphql === undefined ? [] : [graphqlRouteId])],
    callbacks: ids(callbacks),
    refusals: wire?.refusals === undefined ? [] : ['refuse'],
  };
}
