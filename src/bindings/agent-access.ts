// What one actor may do to one world during one interaction, whatever the binding it comes through.
// It never reaches clock control, faults, reset, assertions or hidden state: only tools, by calls and wire routes, the actor's own wait
// (which moves the clock where a grant allows it) and the addresses at which the agent receives callbacks.
//   AGENT-ACCESS-1. After `revoke` is called nothing new begins; it resolves when what had begun has been answered.
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { type AgentDialect, ownAgentDialect } from '../contract/run/dialect.js';
import { resolveActor } from '../contract/world/persona.js';
import { stepWords } from '../contract/world/step-words.js';
import type { OfferedBlob, RefusalResult, UncalledRequest, WireRequest } from '../contract/world/wire.js';
import { mountMark } from '../contract/world/wire-mounts.js';
import type {
  AdvanceProgress,
  CallResult,
  NamedOperation,
  RouteResult,
  ToolCatalogItem,
  WaitResult,
  WorldCommand,
} from '../contract/world/world-protocol.js';
import type { AccessMounts, DirectCall, PendingStep, ReceiverBook } from '../drills/ports/bindings-port.js';
import { unauthenticated } from '../http/guards.js';
import type { SendOptions, WorldRef } from '../worlds/api.js';
import type { AccessLimit } from './agent-limits.js';
import type { AgentCatalog, AgentWorld, AskOptions } from './agent-world.js';
import type { TokenKey } from './token-table.js';
import { UnansweredLog } from './unanswered-requests.js';
import type { WireTable } from './wire-table.js';

export interface AgentIdentity {
  actorId: string;
  actorInstanceId?: string;
}

/** Whose route is asked; without an instance the world chooses (call-route.ts). */
export interface WireOwner {
  packageId: string;
  instanceId: string | undefined;
}

interface Running {
  /** Absent: what is read, and takes no time of tool code. */
  step: WorldCommand | undefined;
  beganMs: number;
}

interface AccessParts {
  wires?: WireTable | undefined;
  baseUrl?: string | undefined;
  receivers?: ReceiverBook | undefined;
  limit?: AccessLimit | undefined;
  organizationId?: string | undefined;
  requireOpen?: (() => void) | undefined;
  expiresAtMs?: number | undefined;
  dialect?: AgentDialect | undefined;
}

export class AgentAccess implements AgentWorld {
  readonly #world: WorldRef;
  readonly #actor: AgentIdentity;
  /** The wire routes of its world; undefined where it has none, or where the access has no HTTP binding. */
  readonly wires: WireTable | undefined;
  /** Where its HTTP binding is served. */
  readonly baseUrl: string;
  /** Its mounts by name: with the URLs that the agent was given. */
  mounts: AccessMounts = noMounts;
  /** Its tokens, that of HTTP first. */
  keys: readonly TokenKey[] = noKeys;
  readonly unanswered = new UnansweredLog();
  readonly dialect: AgentDialect;
  /** Whose bytes its requests and replies are while they are on their way: its organization's, else its world's. */
  readonly bytesOwner: string;
  /** Infinity: it does not end by itself. */
  readonly expiresAtMs: number;
  readonly #receivers: ReceiverBook | undefined;
  readonly #limit: AccessLimit | undefined;
  readonly #requireOpen: (() => void) | undefined;
  /** End what the agent receives. */
  #ends: (() => void)[] | undefined;
  /** What had begun and is not answered, in the order in which it began. */
  readonly #running = new Set<Running>();
  #used = false;
  #revoked = false;
  #keysMade = 0;
  #whenIdle: (() => void)[] | undefined;
  /** The same for as long as there is the world. */
  #operations: Promise<NamedOperation[]> | undefined;

  constructor(
    world: WorldRef,
    actor: AgentIdentity,
    { wires, baseUrl = '', receivers, limit, organizationId, requireOpen, expiresAtMs, dialect = ownAgentDialect }: AccessParts = {},
  ) {
    this.#world = world;
    this.#actor = actor;
    this.wires = wires;
    this.baseUrl = baseUrl;
    this.#receivers = receivers;
    this.#limit = limit;
    this.bytesOwner = organizationId ?? world.worldId;
    this.#requireOpen = requireOpen;
    this.dialect = dialect;
    this.expiresAtMs = expiresAtMs ?? Number.POSITIVE_INFINITY;
  }

  /**
   * What a URL of a tool's own begins with, for who has asked at the base URL or at a mount. `isAtOwn`: of a request that came to the host
   * name of the mount.
   */
  baseUrlAt(mount: string | undefined, isAtOwn: boolean): string {
    if (mount === undefined) return this.baseUrl;
    const { url = `${this.baseUrl}/${mountMark}${mount}`, hostUrl } = this.mounts[mount] ?? {};
    return isAtOwn ? (hostUrl ?? url) : url;
  }

  get worldId(): string {
    return this.#world.worldId;
  }
  get used(): boolean {
    return this.#used;
  }
  get revoked(): boolean {
    return this.#revoked;
  }

  tools(): Promise<ToolCatalogItem[]> {
    return this.#run(() => this.#tools());
  }

  /** One call of the agent, however much the world is asked for it. */
  catalog(): Promise<AgentCatalog> {
    return this.#run(async () => {
      const [tools, mayWait] = await Promise.all([this.#tools(), this.#mayWait()]);
      return { tools, mayWait };
    });
  }

  #tools(): Promise<ToolCatalogItem[]> {
    return this.#world.query({ kind: 'tools', ...this.#actor });
  }

  readonly unlisted = {
    operations: (): Promise<NamedOperation[]> => {
      this.#operations ??= this.#run(() => this.#world.query({ kind: 'operations' })).catch((error: unknown) => {
        this.#operations = undefined;
        throw error;
      });
      return this.#operations;
    },
  };

  call(call: DirectCall, options?: AskOptions): Promise<CallResult> {
    const command = { kind: 'call', ...this.#actor, ...call } as const;
    return this.#run(() => this.#world.command(command, options && sendOptions(options)), { step: command });
  }

  async madeKey(): Promise<string> {
    const number = ++this.#keysMade;
    const { evidenceSequence } = await this.#run(() => this.#world.query({ kind: 'position' }), { isUse: false });
    const { actorId, actorInstanceId } = this.#actor;
    return `made-${[actorId, actorInstanceId, evidenceSequence, number].filter((part) => part !== undefined).join('-')}`;
  }

  callRoute({ packageId, instanceId }: WireOwner, request: WireRequest, blobs: OfferedBlob[]): Promise<RouteResult> {
    const of = { packageId, ...defined({ instanceId }), ...(blobs.length === 0 ? {} : { blobs }) };
    const command = { kind: 'callRoute', ...this.#actor, ...of, request } as const;
    return this.#run(() => this.#world.command(command), { step: command });
  }

  /** The world is not used by it: it may come from a stranger. `isUnplaced`: it may have been meant for another world. */
  refuse(packageId: string, request: UncalledRequest, { isUnplaced = false } = {}): Promise<RefusalResult> {
    const unplaced = isUnplaced ? { isUnplaced } : {};
    const command = { kind: 'refuseRequest', ...this.#actor, packageId, request, ...unplaced } as const;
    return this.#run(() => this.#world.command(command), { step: command, isUse: false });
  }

  wait(untilUs?: number, options?: AskOptions): Promise<WaitResult> {
    const until = untilUs === undefined ? {} : { untilUs };
    const command = { kind: 'wait', ...this.#actor, ...until } as const;
    return this.#run(() => this.#world.command(command, options && sendOptions(options)), { step: command });
  }

  /** Callbacks for the receiver go to the agent from now on, until its access ends. */
  receive(receiverId: string, target: { url: string; secret: string }): Promise<void> {
    return this.#run(async () => {
      if (this.#receivers === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'An agent receives no callbacks here.' });
      this.#ends ??= [];
      this.#ends.push(this.#receivers.bind(receiverId, target));
    });
  }

  pending(): PendingStep | undefined {
    for (const { step, beganMs } of this.#running)
      if (step !== undefined)
        return { words: step.kind === 'wait' ? 'its wait' : stepWords(step), forMs: Math.round(performance.now() - beganMs) };
    return undefined;
  }

  revoke(): Promise<void> {
    if (!this.#revoked) this.#limit?.release();
    this.#revoked = true;
    for (const end of this.#ends?.splice(0) ?? []) end();
    return new Promise((resolve) => {
      if (this.#running.size === 0) {
        resolve();
        return;
      }
      this.#whenIdle ??= [];
      this.#whenIdle.push(resolve);
    });
  }

  async #mayWait(): Promise<boolean> {
    const actors = await this.#world.query({ kind: 'actors' });
    const own = resolveActor(actors, this.#actor);
    return own?.capabilities.some(({ packageId, operationId }) => packageId === 'world' && operationId === 'clock.wait') ?? false;
  }

  async #run<T>(work: () => Promise<T>, { step, isUse = true }: { step?: WorldCommand; isUse?: boolean } = {}): Promise<T> {
    if (this.#revoked) throw unauthenticated();
    this.#requireOpen?.();
    const end = this.#limit?.begin();
    this.#used ||= isUse;
    const running = { step, beganMs: performance.now() };
    this.#running.add(running);
    try {
      return await work();
    } finally {
      end?.();
      this.#running.delete(running);
      if (this.#running.size === 0) for (const resolve of this.#whenIdle?.splice(0) ?? []) resolve();
    }
  }
}

const noMounts: AccessMounts = {};
const noKeys: readonly TokenKey[] = [];

function sendOptions({ signal, onProgress }: AskOptions): SendOptions<AdvanceProgress> {
  return { ...(signal === undefined ? {} : { signal }), ...(onProgress === undefined ? {} : { onProgress }) };
}
