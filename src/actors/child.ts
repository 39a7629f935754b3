// A host in a process of its own, seen from its parent: mail and control as two lanes of one channel of JSON, the board as an inherited
// file. Tool code may have taken the process over, so the parent believes nothing: each message is checked, and the first of another shape
// ends it.
import { limits } from '../contract/limits.js';
import type { ChildBounds } from '../processes/bounds.js';
import type { BoxFolder } from '../processes/bubblewrap.js';
import { firstDescriptor, spawnChild } from '../processes/spawn-child.js';
import { BoardReader, createFilePage } from './board.js';
import { isEnvelopeForCaller } from './frames.js';
import { Heartbeat } from './heartbeat.js';
import type { HostIncarnation, HostStart } from './host-port.js';
import { type ChildOrder, type ControlEndpoint, ControlLane, type LaneMessage, type ToChild } from './lanes.js';
import type { PreparedHost } from './prepared-host.js';

export interface PrepareHost {
  moduleHref: string;
  resourceLimits: HostStart['resourceLimits'];
  bounds?: ChildBounds;
  box?: { folders: readonly BoxFolder[] };
}

export function prepareHost({ moduleHref, resourceLimits, bounds, box }: PrepareHost): PreparedHost {
  const page = createFilePage();
  let receive: (message: unknown) => void = () => {};
  const order: ChildOrder = { moduleHref, resourceLimits, boardFd: firstDescriptor };
  const child = spawnChild({
    entry: new URL('./child-entry.js', import.meta.url),
    argument: JSON.stringify(order),
    flags: heapFlags(resourceLimits),
    descriptors: [page.fd],
    onMessage: (message) => {
      heartbeat.heard();
      receive(message);
    },
    ...(bounds === undefined ? {} : { bounds }),
    ...(box === undefined ? {} : { box }),
  });
  const heartbeat = new Heartbeat(() => child.send({ lane: 'heartbeat' } satisfies ToChild));
  // What is loaded before it is wanted is not urgent.
  child.setYielding(true);
  return {
    child,
    page,
    heartbeat,
    listen: (next) => {
      receive = next;
    },
  };
}

export function startChildHost(
  { child, page, heartbeat, listen }: PreparedHost,
  { setup, onEnvelope }: Pick<HostStart, 'setup' | 'onEnvelope'>,
): Omit<HostIncarnation, 'control'> & { endpoint: ControlEndpoint } {
  const lane = new ControlLane((message) => child.send(message));
  const notices = { left: limits.childNoticesMax };
  listen((message) => {
    if (!isLaneMessage(message)) child.refuse('it sent what is no message');
    else if (message.lane === 'heartbeat') return;
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
    ended: child.ended.then((detail) => {
      lane.close();
      return detail;
    }),
    heartbeat,
    processorTime: () => child.processorTime(),
    setYielding: (yields) => child.setYielding(yields),
    finish: () => child.kill(),
    terminate: () => child.kill(),
    refuse: (reason) => child.refuse(reason),
  };
}

/** An answer of Comlink is plain data with an id; every other kind of its messages would have us make objects. */
function isLaneMessage(message: unknown): message is LaneMessage {
  if (typeof message !== 'object' || message === null) return false;
  const { lane, envelope, data } = message as { [member: string]: unknown };
  if (lane === 'heartbeat') return true;
  if (lane === 'mail') return Array.isArray(envelope);
  if (lane !== 'control' || typeof data !== 'object' || data === null) return false;
  const { id, type } = data as { [member: string]: unknown };
  return typeof id === 'string' && type === 'RAW';
}

/** For the child's main thread; its host's thread gets the same limits as its own. */
function heapFlags({ stackSizeMb }: HostStart['resourceLimits']): string[] {
  return stackSizeMb === undefined ? [] : [`--stack-size=${Math.floor(stackSizeMb * 1024)}`];
}
