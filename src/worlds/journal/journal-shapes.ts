// Shapes: what many entries of a journal have in common, as the text that a chunk holds once, and as the parts of lines made of it.
import type { EventEntry } from '../../contract/world/evidence.js';
import type { SpaceName } from '../kv/space-name.js';
import { tuning } from '../tuning.js';

/** What an event shape's text is the JSON of. `actor` is not evidence: it lets a fold over the journal rebuild the queue. */
export interface EventShapeParts {
  event: EventEntry['event'];
  phase: EventEntry['phase'];
  handlerPackageId?: string | undefined;
  handlerInstanceId?: string | undefined;
  subscriptionId?: string | undefined;
  actor?: { actorId: string; actorInstanceId?: string | undefined } | undefined;
}
/** The parts of an event's line that its shape decides: from the end of its correlation, or of its error, to the payload, and after it. */
export interface EventBytes {
  readonly head: Buffer;
  readonly headAfterError: Buffer;
  readonly phase: Buffer;
  /** Before transactionId. */
  readonly subscription: string;
}

export const spaceShapeText = ({ packageId, instanceId, namespace }: SpaceName): string =>
  JSON.stringify([packageId, instanceId, namespace]);
export function readSpaceShape(text: string): SpaceName {
  const [packageId, instanceId, namespace] = JSON.parse(text) as [string, string, string];
  return { packageId, instanceId, namespace };
}
export const eventShapeText = (parts: EventShapeParts): string => JSON.stringify(parts);
export const readEventShape = (text: string): EventShapeParts => JSON.parse(text) as EventShapeParts;

// Shapes come from manifests and setups, so they are few; the bound is against a host that lives for months.
const spaces = new Map<string, Buffer>();
const events = new Map<string, EventBytes>();

/** Of a state_change, from the end of its correlation up to the rowId. */
export function spaceBytes(shape: string): Buffer {
  return spaces.get(shape) ?? remember(spaces, shape, Buffer.from(spaceText(readSpaceShape(shape))));
}
export function eventBytes(shape: string): EventBytes {
  return events.get(shape) ?? remember(events, shape, makeEventBytes(readEventShape(shape)));
}
function remember<T>(known: Map<string, T>, shape: string, bytes: T): T {
  if (known.size === tuning.shapesMax) known.clear();
  known.set(shape, bytes);
  return bytes;
}

function spaceText({ packageId, instanceId, namespace }: SpaceName): string {
  return `","instanceId":${JSON.stringify(instanceId)},"kind":"state_change","namespace":${JSON.stringify(namespace)},"packageId":${JSON.stringify(packageId)},"rowId":`;
}
function makeEventBytes({ event, phase, handlerInstanceId, handlerPackageId, subscriptionId }: EventShapeParts): EventBytes {
  const member = (name: string, value: string | undefined) => (value === undefined ? '' : `"${name}":${JSON.stringify(value)},`);
  const { eventId, instanceId, packageId } = event;
  const head = `"event":${JSON.stringify({ eventId, instanceId, packageId })},${member('handlerInstanceId', handlerInstanceId)}${member('handlerPackageId', handlerPackageId)}"kind":"event","payload":`;
  return {
    head: Buffer.from(`",${head}`),
    headAfterError: Buffer.from(`,${head}`),
    phase: Buffer.from(`,"phase":"${phase}",`),
    subscription: member('subscriptionId', subscriptionId),
  };
}
