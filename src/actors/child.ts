// A host in a process of its own, seen from its parent: mail and control as two lanes of one channel of JSON, the board as an inherited file.
// Tool code may have taken the process over, so the parent believes nothing: each message is checked, and the first of another shape ends it.
import { limits } from '../contract/limits.js';
import type { ChildBounds } from '../processes/bounds.js';
import type { BoxFolder } from '../processes/bubblewrap.js';
import { firstDescriptor, spawnChild } from '../processes/spawn-child.js';
import { BoardReader, createFilePage } from './board.js';
import { type Envelope, isEnvelopeForCaller } from './frames.js';
import type { HostLife, HostSetup, HostStart } from './host-port.js';
import type { PreparedHost } from './prepared-host.js';

/** The first messages tell a child what to load, and later what to be. */
export type ToChild =
  | { lane: 'prepare'; moduleHref: string; resourceLimits: HostStart['resourceLimits']; boardFd: number }
  | { lane: 'start'; setup: HostSetup }
  | LaneMessage;
export type LaneMessage = { lane: 'mail'; envelope: Envelope } | { lane: 'control'; data: unknown };

/** What Comlink asks of a wire. */
export interface ControlEndpoint {
  postMessage(data: unknown): void;
  addEventListener(type: string, listener: (event: { data: unknown }) => void): void;
  removeEventListener(type: string, listener: (event: { data: unknown }) => void): void;
}

export interface PrepareHost {
  moduleHref: string;
  resourceLimits: HostStart['resourceLimits'];
  bounds?: ChildBounds;
  box?: { folders: readonly BoxFolder[] };
}

export function prepareHost({ moduleHref, resourceLimits, bounds, box }: PrepareHost): PreparedHost {
  const page = createFilePage();
  let receive: (message: unknown) => void = () => {};
  const child = spawnChild({
    entry: new URL('./child-entry.js', import.meta.url),
    flags: heapFlags(resourceLimits),
    descriptors: [page.fd],
    onMessage: (message) => receive(message),
    ...(bounds === undefined ? {} : { bounds }),
    ...(box === undefined ? {} : { box }),
  });
  // What is loaded before it is wanted is nobody's hurry.
  child.setYielding(true);
  child.send({ lane: 'prepare', moduleHref, resourceLimits, boardFd: firstDescriptor } satisfies ToChild);
  return {
    child,
    page,
    listen: (next) => {
      receive = next;
    },
  };
}

export function startChildHost(
  { child, page, listen }: PreparedHost,
  { setup, onEnvelope }: Pick<HostStart, 'setup' | 'onEnvelope'>,
): Omit<HostLife, 'control'> & { endpoint: ControlEndpoint } {
  const lane = new ControlLane((message) => child.send(message));
  const notices = { left: limits.childNoticesMax };
  listen((message) => {
    if (!isLaneMessage(message)) child.refuse('it sent what is no message');
    else if (message.lane === 'control') lane.deliver(message.data);
    else if (isEnvelopeForCaller(message.envelope, notices)) onEnvelope(message.envelope);
    else child.refuse('it sent what is no envelope');
  });
  const board = new BoardReader(page);
  try {
    child.setYielding(false);
    child.send({ lane: 'start', setup } satisfies ToChild);
  } catch (error) {
    child.kill();
    board.close();
    throw error;
  }
  return {
    post: (envelope) => child.send({ lane: 'mail', envelope } satisfies ToChild),
    endpoint: lane,
    board,
    ended: child.ended,
    setYielding: (yields) => child.setYielding(yields),
    terminate: () => child.kill(),
    refuse: (reason) => child.refuse(reason),
  };
}

/** An answer of Comlink is plain data with an id; every other kind of its messages would have us make objects. */
function isLaneMessage(message: unknown): message is LaneMessage {
  if (typeof message !== 'object' || message === null) return false;
  const { lane, envelope, data } = message as { [member: string]: unknown };
  if (lane === 'mail') return Array.isArray(envelope);
  if (lane !== 'control' || typeof data !== 'object' || data === null) return false;
  const { id, type } = data as { [member: string]: unknown };
  return typeof id === 'string' && type === 'RAW';
}

/** One lane of the channel, as Comlink wants a wire to look. Used on both sides. */
export class ControlLane implements ControlEndpoint {
  readonly #listeners = new Set<(event: { data: unknown }) => void>();
  readonly #send: (message: LaneMessage) => void;

  constructor(send: (message: LaneMessage) => void) {
    this.#send = send;
  }
  postMessage(data: unknown): void {
    this.#send({ lane: 'control', data });
  }
  addEventListener(_type: string, listener: (event: { data: unknown }) => void): void {
    this.#listeners.add(listener);
  }
  removeEventListener(_type: string, listener: (event: { data: unknown }) => void): void {
    this.#listeners.delete(listener);
  }
  deliver(data: unknown): void {
    for (const listener of this.#listeners) listener({ data });
  }
}

/** For the child's main thread; its host's thread gets the same limits as its own. */
function heapFlags({ stackSizeMb }: HostStart['resourceLimits']): string[] {
  return stackSizeMb === undefined ? [] : [`--stack-size=${Math.floor(stackSizeMb * 1024)}`];
}
