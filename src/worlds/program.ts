// What every world of one (build, setup) shares in a host: loaded tools, instances, actors, who subscribes to what. Read only.
import type { WorldProgram } from '../contract/build.js';
import { type Issue, ServiceError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { ScenarioActor, WorldSetup } from '../contract/scenario.js';
import { loadTool } from '../tools/load.js';
import type { LoadedTool } from '../tools/loaded-tool.js';

export interface ProgramActor {
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
  readonly #admitted = new Map<ScenarioActor, ProgramActor>();
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

  /** Without an instance: the actor that has none or, where only one actor has the id, that one. */
  actor(actorId: string, actorInstanceId?: string): ProgramActor | undefined {
    const named = this.#actors.filter(({ id }) => id === actorId);
    const actor = named.find(({ instanceId }) => instanceId === actorInstanceId) ?? (actorInstanceId === undefined && named.length === 1 ? named[0] : undefined);
    return actor && this.#admit(actor);
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

  #admit(actor: ScenarioActor): ProgramActor {
    let known = this.#admitted.get(actor);
    if (known === undefined) {
      const { id, instanceId, attributes, grants } = actor;
      const [tool] = this.tools.values();
      known = { actor, admitted: tool === undefined ? null : tool.realm.admit({ id, instanceId, attributes, grants }).value };
      this.#admitted.set(actor, known);
    }
    return known;
  }
}

function instancesOf({ tools, setup }: WorldProgram): Map<string, readonly string[]> {
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

/** What a setup says of things that its tools do not have, or of rows and payloads that break their schemas. Throws control.INVALID_REQUEST. */
export function checkSetup(program: Program): void {
  const issues: Issue[] = [];
  const complain = (path: string, code: string, message: string): void => {
    if (issues.length < limits.issuesMax) issues.push({ path, code, message });
  };
  const { state, faults, initialEvents } = program.setup;
  state.forEach((patch, index) => {
    const namespace = program.tools.get(patch.packageId)?.namespaces.get(patch.namespace);
    if (namespace === undefined) return complain(`/state/${index}`, 'unknown', `there is no namespace '${patch.namespace}' of '${patch.packageId}'`);
    if (patch.action !== 'upsert') return;
    for (const { path, code, message } of namespace.validate(patch.value) ?? []) complain(`/state/${index}/value${path}`, code, message);
  });
  faults.forEach(({ packageId, faultId }, index) => {
    if (!program.tools.get(packageId)?.faults.has(faultId)) complain(`/faults/${index}`, 'unknown', `'${packageId}' has no fault '${faultId}'`);
  });
  initialEvents.forEach(({ event, payload, actorId, actorInstanceId }, index) => {
    const declared = program.tools.get(event.packageId)?.events.get(event.eventId);
    if (declared === undefined) return complain(`/initialEvents/${index}/event`, 'unknown', `'${event.packageId}' has no event '${event.eventId}'`);
    if (program.actor(actorId, actorInstanceId) === undefined) complain(`/initialEvents/${index}/actorId`, 'unknown', `there is no actor '${actorId}'`);
    for (const { path, code, message } of declared.validatePayload(payload) ?? []) complain(`/initialEvents/${index}/payload${path}`, code, message);
  });
  if (issues.length > 0) throw new ServiceError('control.INVALID_REQUEST', { message: 'The setup does not fit its tools.', issues });
}
