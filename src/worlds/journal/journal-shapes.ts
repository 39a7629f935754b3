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
/** The parts of an event's line that its shape decides: from its correlation, or its error, to the payload, and after it. */
export interface EventTexts {
  readonly head: string;
  readonly phase: string;
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
const spaces = new Map<string, string>();
const events = new Map<string, EventTexts>();

/** Of a state_change, from its correlation up to the rowId. */
export function spaceText(shape: string): string {
  return spaces.get(shape) ?? rememberShape(spaces, shape, makeSpaceText(readSpaceShape(shape)));
}
export function eventTexts(shape: string): EventTexts {
  return events.get(shape) ?? rememberShape(events, shape, makeEventTexts(readEventShape(shape)));
}
export function rememberShape<T>(known: Map<string, T>, shape: string, made: T): T {
  if (known.size === tuning.shapesMax) known.clear();
  known.set(shape, made);
  return made;
}

function makeSpaceText({ packageId, instanceId, namespace }: SpaceName): string {
  return `,"instanceId":${JSON.stringify(instanceId)},"kind":"state_change","namespace":${JSON.stringify(namespace)},"packageId":${JSON.stringify(packageId)},"rowId":`;
}
function makeEventTexts({ event, phase, handlerInstanceId, handlerPackageId, subscriptionId }: EventShapeParts): EventTexts {
  const member = (name: string, value: string | undefined) => (value === undefined ? '' : `"${name}":${JSON.stringify(value)},`);
  const { eventId, instanceId, packageId } = event;
  return {
    head: `,"event":${JSON.stringify({ eventId, instanceId, packageId })},${member('handlerInstanceId', handlerInstanceId)}${member('handlerPackageId', handlerPackageId)}"kind":"event","payload":`,
    phase: `,"phase":"${phase}",`,
    subscription: member('subscriptionId', subscriptionId),
  };
}
