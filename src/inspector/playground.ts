// Worlds to play with: made from what is compiled now, driven by hand, gone with the inspector.
import { withReceivers } from '../callbacks/delivering-world.js';
import type { CallbackReceivers } from '../callbacks/receivers.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import type {
  CreateWorldRequest,
  PlayWorld,
  WorldAdvanceReply,
  WorldAdvanceRequest,
  WorldCallReply,
  WorldCallRequest,
  WorldFaultReply,
  WorldFaultRequest,
  WorldForkRequest,
  WorldOrigin,
  WorldResetRequest,
} from '../contract/inspector/worlds.js';
import { limits } from '../contract/limits.js';
import type { CompiledBuild } from '../contract/run/build.js';
import { chooseStart, type WorldStart } from '../contract/run/world-start.js';
import type { WorldRef, Worlds } from '../worlds/api.js';
import type { EventHub } from './event-hub.js';

type FixedPart = Omit<PlayWorld, 'resets' | 'position' | 'pendingEvents' | 'nextEventUs'>;
interface PlaySession {
  world: WorldRef;
  build: CompiledBuild;
  fixed: FixedPart;
  resets: number;
  /** Of the world that it was forked from, at that time: each one takes away what this began with. */
  parentResets?: number;
}
interface NewSession extends Omit<PlaySession, 'fixed' | 'resets'> {
  fixed: Omit<FixedPart, 'worldId' | 'worldInstanceId' | 'createdAtMs'>;
}
export interface ContinuedRun extends Pick<PlayWorld, 'start' | 'seed' | 'buildHash' | 'title'> {
  parent: WorldRef;
  origin: WorldOrigin;
  build: CompiledBuild;
}

interface Ancestor {
  world: WorldRef;
  /** Of its journal, where the fork began. */
  atSequence: number;
}
export interface PlayLineage {
  world: WorldRef;
  /** The nearest first. */
  ancestors: Ancestor[];
  /** What the oldest of them began with: a run up to an entry, or a start of its build. */
  began: { origin: WorldOrigin } | ({ drillId: string | undefined } & WorldStart);
}
export class Playground {
  readonly #worlds: () => Promise<Worlds>;
  readonly #hub: EventHub;
  readonly #receivers: CallbackReceivers;
  /** Of every receiver. */
  readonly #end = new AbortController();
  readonly #played = new Map<string, PlaySession>();
  /** Of worlds that are being made. */
  #making = 0;

  /** `receivers`: of the callbacks of every world. */
  constructor(worlds: () => Promise<Worlds>, { hub, receivers = {} }: { hub: EventHub; receivers?: CallbackReceivers | undefined }) {
    this.#worlds = worlds;
    this.#hub = hub;
    this.#receivers = receivers;
  }

  /** Nothing is delivered any more. */
  close(): void {
    this.#end.abort();
  }

  async create(build: CompiledBuild, request: CreateWorldRequest): Promise<PlayWorld> {
    const { setup, setupHash } = chooseStart(build, request);
    const seed = request.seed ?? build.world.seed;
    return this.#make(async (worldId) => {
      const worlds = await this.#worlds();
      const made = await worlds.create({ worldId, build, setup, setupHash, seed: { seed, trial: 1, attempt: 1 } });
      const { world } = withReceivers(made, { build, fixed: this.#receivers, signal: this.#end.signal });
      const title = request.title === undefined ? {} : { title: request.title };
      return { world, build, fixed: { ...title, start: shownStart(request), seed, buildHash: build.buildHash } };
    });
  }

  /** A fork of the retained world of a run. */
  async continueRun({ parent, origin, build, ...fixed }: ContinuedRun): Promise<PlayWorld> {
    return this.#make(async (worldId) => {
      const { world: made } = await parent.fork({ worldId, atSequence: origin.atSequence });
      const { world } = withReceivers(made, { build, fixed: this.#receivers, signal: this.#end.signal });
      return { world, build, fixed: { ...fixed, origin } };
    });
  }

  async list(): Promise<PlayWorld[]> {
    return (await Promise.all([...this.#played.values()].map((played) => view(played)))).reverse();
  }

  get(worldId: string): Promise<PlayWorld> {
    return view(this.#of(worldId));
  }

  world(worldId: string): WorldRef {
    return this.#of(worldId).world;
  }
  has(worldId: string): boolean {
    return this.#played.has(worldId);
  }

  /** control.STATE_CONFLICT where a world that it was forked from is gone, or was reset since: what it did before the fork is lost. */
  lineage(worldId: string): PlayLineage {
    let played = this.#of(worldId);
    const { world, build, fixed } = played;
    const ancestors: Ancestor[] = [];
    for (let { parent } = played.fixed; parent !== undefined; parent = played.fixed.parent) {
      const found = this.#played.get(parent.worldId);
      const why = found === undefined ? 'is gone' : found.resets === played.parentResets ? undefined : 'was reset since';
      if (found === undefined || why !== undefined)
        throw new ServiceError('control.STATE_CONFLICT', {
          message: `It was forked from ${parent.worldId}, which ${why}: what happened there before the fork is lost.`,
        });
      ancestors.push({ world: found.world, atSequence: parent.atSequence });
      played = found;
    }
    const { start, origin } = fixed;
    if (origin !== undefined) return { world, ancestors, began: { origin } };
    const drillId = start.kind === 'drill' ? start.id : undefined;
    const scenarioId = start.kind === 'scenario' ? start.id : undefined;
    return { world, ancestors, began: { drillId, ...chooseStart(build, { drillId, scenarioId }) } };
  }

  async remove(worldId: string): Promise<void> {
    const { world } = this.#of(worldId);
    this.#played.delete(worldId);
    await world.destroy();
    this.#hub.publish({ type: 'world', change: 'deleted', worldId });
  }

  async call(worldId: string, request: WorldCallRequest): Promise<Omit<WorldCallReply, 'schemaVersion'>> {
    const played = this.#of(worldId);
    const result = await played.world.command({ kind: 'call', ...request });
    return { result, world: await this.#changed(played) };
  }

  /** Aborting stops it between two events. */
  async advance(
    worldId: string,
    { targetUs, maxEvents = limits.advanceEventsMax }: WorldAdvanceRequest,
    signal: AbortSignal,
  ): Promise<Omit<WorldAdvanceReply, 'schemaVersion'>> {
    const played = this.#of(worldId);
    const advance = await played.world.command({ kind: 'advance', targetUs, maxEvents }, { signal });
    return { advance, world: await this.#changed(played) };
  }

  async setFault(worldId: string, request: WorldFaultRequest): Promise<Omit<WorldFaultReply, 'schemaVersion'>> {
    const played = this.#of(worldId);
    const { changed, sequence } = await played.world.command({ kind: 'setFault', ...request });
    return { changed, sequence, world: await this.#changed(played) };
  }

  async reset(worldId: string, { packages }: WorldResetRequest): Promise<PlayWorld> {
    const played = this.#of(worldId);
    await played.world.command({ kind: 'reset', ...defined({ packages }) });
    if (packages === undefined) played.resets++;
    return this.#changed(played);
  }

  async fork(worldId: string, { atSequence, title }: WorldForkRequest): Promise<PlayWorld> {
    const parent = this.#of(worldId);
    return this.#make(async (forkId) => {
      const parentResets = parent.resets;
      const { evidenceSequence } = await parent.world.query({ kind: 'position' });
      const { world: made } = await parent.world.fork({ worldId: forkId, ...defined({ atSequence }) });
      const { build } = parent;
      const { world } = withReceivers(made, { build, fixed: this.#receivers, signal: this.#end.signal });
      const { start, seed, buildHash, origin } = parent.fixed;
      const lineage = { worldId, atSequence: Math.min(atSequence ?? evidenceSequence, evidenceSequence) };
      const fixed = { ...defined({ title, origin }), start, seed, buildHash, parent: lineage };
      return { world, build, fixed, parentResets };
    });
  }

  async #make(make: (worldId: string) => Promise<NewSession>): Promise<PlayWorld> {
    if (this.#played.size + this.#making >= limits.inspectorWorldsMax)
      throw new ServiceError('control.STATE_CONFLICT', {
        message: `There are ${limits.inspectorWorldsMax} worlds already; end one first.`,
      });
    const worldId = newId('world');
    this.#making++;
    let played: PlaySession;
    try {
      const { fixed, ...made } = await make(worldId);
      const { worldInstanceId } = made.world;
      played = { ...made, fixed: { worldId, worldInstanceId, createdAtMs: Date.now(), ...fixed }, resets: 0 };
      // In one step with the end of its making, so that no world counts twice.
      this.#played.set(worldId, played);
    } finally {
      this.#making--;
    }
    const made = await view(played);
    this.#hub.publish({ type: 'world', change: 'created', world: made });
    return made;
  }

  #of(worldId: string): PlaySession {
    const played = this.#played.get(worldId);
    if (played === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'There is no such world.' });
    return played;
  }

  async #changed(played: PlaySession): Promise<PlayWorld> {
    const world = await view(played);
    const { worldId, position } = world;
    this.#hub.publish({ type: 'world', change: 'changed', world });
    this.#hub.publish({ type: 'evidence', id: worldId, toSequence: position.evidenceSequence, virtualTimeUs: position.virtualTimeUs });
    return world;
  }
}

async function view({ world, fixed, resets }: PlaySession): Promise<PlayWorld> {
  const [position, pending] = await Promise.all([world.query({ kind: 'position' }), world.query({ kind: 'pending', limit: 1 })]);
  const next = pending.events[0]?.atUs;
  return { ...fixed, resets, position, pendingEvents: pending.total, ...defined({ nextEventUs: next }) };
}

function shownStart({ scenarioId, drillId }: CreateWorldRequest): PlayWorld['start'] {
  if (scenarioId !== undefined) return { kind: 'scenario', id: scenarioId };
  return drillId === undefined ? { kind: 'baseline' } : { kind: 'drill', id: drillId };
}
