// event.count, callback.count and fault.count: how often an event or the delivery of a callback reached a phase, how often a fault was
// triggered.
import type { CallbackCountAssertion, EventCountAssertion, FaultCountAssertion } from '../../contract/assertion.js';
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

export function faultCount({ fault, count: bounds }: FaultCountAssertion): Check {
  const { packageId, instanceId, faultId, operationId } = fault;
  const isOurs = (entry: EvidenceEntry): boolean =>
    entry.kind === 'fault' &&
    entry.faultId === faultId &&
    entry.packageId === packageId &&
    (instanceId === undefined || entry.instanceId === instanceId) &&
    (operationId === undefined || entry.operationId === operationId);
  const where = operationId === undefined ? '' : ` at calls to ${operationId}`;
  return counter(isOurs, (count, evidenceSequences) =>
    countFinding({
      subject: (many) => `${noun(many, 'trigger')} of fault ${packageId}.${faultId}${where}`,
      count,
      bounds,
      location: {
        subject: 'fault',
        packageId,
        ...(instanceId === undefined ? {} : { instanceId }),
        faultId,
        ...(operationId === undefined ? {} : { operationId }),
      },
      evidenceSequences,
      grows: true,
    }),
  );
}

function counter(
  isOurs: (entry: EvidenceEntry) => boolean,
  tell: (count: number, sequences: number[]) => ReturnType<Check['finding']>,
): Check {
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
