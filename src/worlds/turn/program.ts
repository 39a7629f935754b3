// What every world of one (build, setup) shares in a host: loaded tools, instances, actors, who subscribes to what. Read only.
import { type Issue, ServiceError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { WorldProgram } from '../../contract/run/build.js';
import { type ActorName, resolvePersona, unresolvedPersona } from '../../contract/world/persona.js';
import type { InitialEvent, ScenarioActor, StatePatch, WorldSetup } from '../../contract/world/scenario.js';
import { loadTool } from '../../tools/load.js';
import type { LoadedTool } from '../../tools/loaded-tool.js';

/** An actor of the setup. */
export interface Persona {
  readonly name: ActorName;
  readonly actor: ScenarioActor;
  /** As tool code sees it. */
  readonly admitted: JsonValue;
}
export interface Subscriber {
  readonly packageId: string;
  readonly subscriptionId: string;
}

export class Program {
  readonly buildHash: string;
  readonly setupHash: string;
  readonly setup: WorldSetup;
  /** In build order. */
  readonly tools: ReadonlyMap<string, LoadedTool>;
  /** By package: the default instance (named as the package), then those that the setup names, in order of id. */
  readonly instances: ReadonlyMap<string, readonly string[]>;
  readonly #actors: readonly ScenarioActor[];
  /** Those that were asked for, by (id, instance) as asked. */
  readonly #known = new Map<string, Persona>();
  readonly #subscribers = new Map<string, Subscriber[]>();

  /** Throws world.HANDLER_FAILED for a tool that cannot be loaded. */
  constructor(program: WorldProgram) {
    this.buildHash = program.buildHash;
    this.setupHash = program.setupHash;
    this.setup = program.setup;
    this.tools = new Map(program.tools.map((compiled) => [compiled.packageId, loadTool(compiled)]));
    this.instances = instancesOf(program);
    this.#actors = program.setup.actors;
    for (const tool of this.tools.values()) {
      for (const { id, event } of tool.subscriptions) {
        const key = `${event.packageId} ${event.eventId}`;
        const known = this.#subscribers.get(key);
        if (known === undefined) this.#subscribers.set(key, [{ packageId: tool.packageId, subscriptionId: id }]);
        else known.push({ packageId: tool.packageId, subscriptionId: id });
      }
    }
  }

  persona({ actorId, actorInstanceId }: ActorName): Persona | undefined {
    const key = `${actorId} ${actorInstanceId ?? ''}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const actor = resolvePersona(this.#actors, { actorId, actorInstanceId });
    if (actor === undefined) return undefined;
    const found = this.#admit(actor);
    this.#known.set(key, found);
    return found;
  }
  get actors(): readonly ScenarioActor[] {
    return this.#actors;
  }

  hasInstance(packageId: string, instanceId: string): boolean {
    return this.instances.get(packageId)?.includes(instanceId) === true;
  }
  /** Packages in build order, subscriptions in the order of their manifest. */
  subscribers(packageId: string, eventId: string): readonly Subscriber[] {
    return this.#subscribers.get(`${packageId} ${eventId}`) ?? [];
  }

  #admit(actor: ScenarioActor): Persona {
    const { id, instanceId, attributes, grants } = actor;
    const [tool] = this.tools.values();
    const name = { actorId: id, actorInstanceId: instanceId };
    // Without tools there is no handler to see it.
    return { name, actor, admitted: tool === undefined ? null : tool.realm.admit({ id, instanceId, attributes, grants }).value };
  }
}

/** By package: the instances that a setup names, the package's own first. */
export function instancesOf({
  tools,
  setup,
}: Pick<WorldProgram, 'setup'> & { tools: readonly { packageId: string }[] }): Map<string, readonly string[]> {
  const named = new Map(tools.map(({ packageId }) => [packageId, new Set<string>()]));
  const name = ({ packageId, instanceId }: { packageId: string; instanceId?: string }): void => {
    if (instanceId !== undefined && instanceId !== packageId) named.get(packageId)?.add(instanceId);
  };
  for (const patch of setup.state) name(patch);
  for (const actor of setup.actors) for (const grant of actor.grants) name(grant);
  for (const fault of setup.faults) name(fault);
  for (const { event } of setup.initialEvents) name(event);
  for (const { rules } of setup.toolOverrides) for (const { operation } of rules) name(operation);
  return new Map([...named].map(([packageId, others]) => [packageId, [packageId, ...[...others].sort()]]));
}

/**
 * What a setup says of things that its tools do not have, or of rows and payloads that break their schemas. Throws control.INVALID_REQUEST.
 */
export function checkSetup(program: Program): void {
  const { state, faults, initialEvents } = program.setup;
  const issues: Issue[] = [];
  for (const [index, patch] of state.entries()) issues.push(...patchIssues(program, patch, `/state/${index}`));
  for (const [index, { packageId, faultId }] of faults.entries()) {
    if (!program.tools.get(packageId)?.faults.has(faultId))
      issues.push(unknown(`/faults/${index}`, `'${packageId}' has no fault '${faultId}'`));
  }
  for (const [index, event] of initialEvents.entries()) issues.push(...eventIssues(program, event, `/initialEvents/${index}`));
  if (issues.length === 0) return;
  throw new ServiceError('control.INVALID_REQUEST', {
    message: 'The setup does not fit its tools.',
    issues: issues.slice(0, limits.issuesMax),
  });
}

function patchIssues({ tools }: Program, patch: StatePatch, path: string): Issue[] {
  const namespace = tools.get(patch.packageId)?.namespaces.get(patch.namespace);
  if (namespace === undefined) return [unknown(path, `there is no namespace '${patch.namespace}' of '${patch.packageId}'`)];
  return patch.action === 'upsert' ? below(`${path}/value`, namespace.validate(patch.value)) : [];
}

function eventIssues(program: Program, { event, payload, actorId, actorInstanceId }: InitialEvent, path: string): Issue[] {
  const declared = program.tools.get(event.packageId)?.events.get(event.eventId);
  if (declared === undefined) return [unknown(`${path}/event`, `'${event.packageId}' has no event '${event.eventId}'`)];
  const issues = below(`${path}/payload`, declared.validatePayload(payload));
  const name = { actorId, actorInstanceId };
  if (program.persona(name) === undefined) issues.push(unknown(`${path}/actorId`, unresolvedPersona(program.actors, name).message));
  return issues;
}

const unknown = (path: string, message: string): Issue => ({ path, code: 'unknown', message });
const below = (path: string, issues: Issue[] | null): Issue[] => (issues ?? []).map((issue) => ({ ...issue, path: path + issue.path }));
