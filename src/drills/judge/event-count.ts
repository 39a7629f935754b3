// event.count: how often an event reached a phase.
import { defined } from '../../contract/defined.js';
import type { EventCountAssertion } from '../../contract/run/assertion.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { noun } from '../../text/counted.js';
import { hasMembers } from './compare.js';
import { countFinding } from './count-finding.js';
import { entryCounter } from './entry-counter.js';
import type { Check } from './finding.js';

export function eventCount({ event, phase, payload, count: bounds }: EventCountAssertion): Check {
  const { packageId, instanceId, eventId } = event;
  const isOurs = (entry: EvidenceEntry): boolean =>
    entry.kind === 'event' &&
    entry.phase === phase &&
    entry.event.eventId === eventId &&
    entry.event.packageId === packageId &&
    (instanceId === undefined || entry.event.instanceId === instanceId) &&
    hasMembers(entry.payload, payload);
  return entryCounter(isOurs, (count, evidenceSequences) =>
    countFinding({
      subject: (many) => `${phase} ${noun(many, 'event')} ${packageId}.${eventId}${payload === undefined ? '' : ' with this payload'}`,
      count,
      bounds,
      location: { subject: 'event', packageId, ...defined({ instanceId }), eventId },
      evidenceSequences,
      grows: true,
    }),
  );
}
