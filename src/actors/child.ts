// A host in a process of its own, seen from its parent: mail and control as two lanes of one channel of JSON, the board as an inherited
// file. Tool code may have taken the process over, so the parent believes nothing: each message is checked, and the first of another shape
// ends it.
//   CHILD-1. A host that answers on the control path what was not asked there, or that sends more that is no answer than it may
//     (unasked-bytes.ts), is ended.
import { limits } from '../contract/limits.js';
import type { ChildBounds } from '../processes/bounds.js';
import type { BoxFolder } from '../processes/bubblewrap.js';
import { firstDescriptor, spawnChild } from '../processes/spawn-child.js';
import { BoardReader, createFilePage } from './board.js';
import { answersOrAsks, isEnvelopeForCaller } from './frames.js';
import { Heartbeat } from './heartbeat.js';
import type { HostIncarnation, HostStart } from './host-port.js';
import { type ChildOrder, type ControlEndpoint, ControlLane, type LaneMessage, type ToChild } from './lanes.js';
import type { PreparedHost } from './prepared-host.js';
import { UnaskedBytes } from './unasked-bytes.js';

export interface PrepareHost {
  moduleHref: string;
  resourceLimits: HostStart['resourceLimits'];
  bounds?: ChildBounds;
  box?: { folders: readonly BoxFolder[] };
  /** A folder for the page of its board where no other takes it. */
  lastResort?: string;
}

export function prepareHost(options: PrepareHost): PreparedHost {
  const page = createFilePage(options);
  try {
    return prepareOn(page, options);
  } catch (error) {
    new BoardReader(page).close();
    throw error;
  }
}

function prepareOn(page: PreparedHost['page'], { moduleHref, resourceLimits, bounds, box }: PrepareHost): PreparedHost {
  let receive: (message: unknown, bytes: number) => void = () => {};
  const order: ChildOrder = { moduleHref, resourceLimits, boardFd: firstDescriptor };
  const child = spawnChild({
    entry: new URL('./child-entry.js', import.meta.url),
    argument: JSON.stringify(order),
    flags: heapFlags(resourceLimits),
    descriptors: [page.fd],
    onMessage: (message, bytes) => {
      heartbeat.heard();
      receive(message, bytes);
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
    release: () => new BoardReader(page).close(),
  };
}

export function startChildHost(
  { child, page, heartbeat, listen }: PreparedHost,
  { setup, onEnvelope }: Pick<HostStart, 'setup' | 'onEnvelope'>,
): Omit<HostIncarnation, 'control'> & { endpoint: ControlEndpoint } {
  /** Requests on the control path that it has not answered, by Comlink's ids. */
  const asked = new Set<string>();
  const lane = new ControlLane((message) => {
    asked.add((message.data as ControlData).id);
    child.send(message);
  });
  const notices = { left: limits.childNoticesMax };
  const unasked = new UnaskedBytes();
  const take = (message: LaneMessage, bytes: number): string | undefined => {
    if (message.lane === 'control') {
      if (!asked.delete((message.data as ControlData).id)) return 'it answered what nobody had asked';
      lane.deliver(message.data);
      return undefined;
    }
    if (message.lane === 'heartbeat') return heartbeat.answered() && unasked.spend(bytes) ? undefined : 'it sent a heartbeat unasked';
    if (!isEnvelopeForCaller(message.envelope, notices)) return 'it sent what is no envelope';
    if (!answersOrAsks(message.envelope) && !unasked.spend(bytes)) return 'it sent more than it was asked for';
    onEnvelope(message.envelope);
    return undefined;
  };
  listen((message, bytes) => {
    const fault = isLaneMessage(message) ? take(message, bytes) : 'it sent what is no message';
    if (fault !== undefined) child.refuse(fault);
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

/** What is known of any message of Comlink once it was checked. */
interface ControlData {
  id: string;
  type: unknown;
}
/** An answer of Comlink is plain data with an id; every other kind of its messages would have us make objects. */
function isLaneMessage(message: unknown): message is LaneMessage {
  if (typeof message !== 'object' || message === null) return false;
  const { lane, envelope, data } = message as { [member: string]: unknown };
  if (lane === 'heartbeat') return true;
  // One without frames says nothing, and none is sent.
  if (lane === 'mail') return Array.isArray(envelope) && envelope.length > 0;
  if (lane !== 'control' || typeof data !== 'object' || data === null) return false;
  const { id, type } = data as ControlData;
  return typeof id === 'string' && type === 'RAW';
}

/** For the child's main thread; its host's thread gets the same limits as its own. */
function heapFlags({ stackSizeMb }: HostStart['resourceLimits']): string[] {
  return stackSizeMb === undefined ? [] : [`--stack-size=${Math.floor(stackSizeMb * 1024)}`];
}
