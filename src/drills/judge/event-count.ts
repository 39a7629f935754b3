// event.count and callback.count: how often an event, or the delivery of a callback, reached a phase.
import type { CallbackCountAssertion, EventCountAssertion } from '../../contract/assertion.js';
import { noun } from '../../contract/counted.js';
import type { EvidenceEntry } from '../../contract/evidence.js';
import { hasMembers } from './compare.js';
import { countFinding } from './count-finding.js';
import { type Check, Citations } from './finding.js';

export function eventCount({ event, phase, payload, count: bounds }: EventCountAssertion): Check {
  const { packageId, instanceId, eventId } = event;
  const isOurs = (entry: EvidenceEntry): boolean =>
    entry.kind === 'event' &&
    entry.phase === phase &&
    entry.event.eventId === eventId &&
    entry.event.packageId === packageId &&
    (instanceId === undefined || entry.event.instanceId === instanceId) &&
    hasMembers(entry.payload, payload);
  return counter(isOurs, (count, evidenceSequences) =>
    countFinding({
      subject: (many) => `${phase} ${noun(many, 'event')} ${packageId}.${eventId}${payload === undefined ? '' : ' with this payload'}`,
      count,
      bounds,
      location: { subject: 'event', packageId, ...(instanceId === undefined ? {} : { instanceId }), eventId },
      evidenceSequences,
      grows: true,
    }),
  );
}

export function callbackCount({ packageId, instanceId, callbackId, phase, count: bounds }: CallbackCountAssertion): Check {
  const isOurs = (entry: EvidenceEntry): boolean =>
    entry.kind === 'callback' &&
    entry.phase === phase &&
    entry.callbackId === callbackId &&
    entry.packageId === packageId &&
    (instanceId === undefined || entry.instanceId === instanceId);
  return counter(isOurs, (count, evidenceSequences) =>
    countFinding({
      subject: (many) => `${phase} ${noun(many, 'delivery', 'deliveries')} of callback ${packageId}.${callbackId}`,
      count,
      bounds,
      location: { subject: 'callback', packageId, ...(instanceId === undefined ? {} : { instanceId }), callbackId },
      evidenceSequences,
      grows: true,
    }),
  );
}

function counter(isOurs: (entry: EvidenceEntry) => boolean, tell: (count: number, sequences: number[]) => ReturnType<Check['finding']>): Check {
  const cited = new Citations();
  let count = 0;
  return {
    observe: (entry) => {
      if (!isOurs(entry)) return;
      count += 1;
      cited.add(entry.sequence);
    },
    finding: () => tell(count, cited.sequences),
  };
}
