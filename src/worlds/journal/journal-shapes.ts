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
/** The parts of an event's line that its shape decides: up to the payload, after it, and before transactionId. */
export interface EventText {
  head: string;
  phase: string;
  subscription: string;
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
const spaceTexts = new Map<string, string>();
const eventTexts = new Map<string, EventText>();

/** Of a state_change, from instanceId up to the rowId. */
export function spaceText(shape: string): string {
  return spaceTexts.get(shape) ?? remember(spaceTexts, shape, makeSpaceText(readSpaceShape(shape)));
}
export function eventText(shape: string): EventText {
  return eventTexts.get(shape) ?? remember(eventTexts, shape, makeEventText(readEventShape(shape)));
}
function remember<T>(texts: Map<string, T>, shape: string, text: T): T {
  if (texts.size === tuning.shapesMax) texts.clear();
  texts.set(shape, text);
  return text;
}

function makeSpaceText({ packageId, instanceId, namespace }: SpaceName): string {
  return `"instanceId":${JSON.stringify(instanceId)},"kind":"state_change","namespace":${JSON.stringify(namespace)},"packageId":${JSON.stringify(packageId)},"rowId":`;
}
function makeEventText({ event, phase, handlerInstanceId, handlerPackageId, subscriptionId }: EventShapeParts): EventText {
  const member = (name: string, value: string | undefined) => (value === undefined ? '' : `"${name}":${JSON.stringify(value)},`);
  const { eventId, instanceId, packageId } = event;
  return {
    head: `"event":${JSON.stringify({ eventId, instanceId, packageId })},${member('handlerInstanceId', handlerInstanceId)}${member('handlerPackageId', handlerPackageId)}"kind":"event","payload":`,
    phase: `,"phase":"${phase}",`,
    subscription: member('subscriptionId', subscriptionId),
  };
}
