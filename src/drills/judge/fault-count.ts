// fault.count: how often a fault was triggered.
import { defined } from '../../contract/defined.js';
import type { FaultCountAssertion } from '../../contract/run/assertion.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { noun } from '../../text/counted.js';
import { countFinding } from './count-finding.js';
import { entryCounter } from './entry-counter.js';
import type { Check } from './finding.js';

export function faultCount({ fault, count: bounds }: FaultCountAssertion): Check {
  const { packageId, instanceId, faultId, operationId } = fault;
  const isOurs = (entry: EvidenceEntry): boolean =>
    entry.kind === 'fault' &&
    entry.faultId === faultId &&
    entry.packageId === packageId &&
    (instanceId === undefined || entry.instanceId === instanceId) &&
    (operationId === undefined || entry.operationId === operationId);
  const where = operationId === undefined ? '' : ` at calls to ${operationId}`;
  return entryCounter(isOurs, (count, evidenceSequences) =>
    countFinding({
      subject: (many) => `${noun(many, 'trigger')} of fault ${packageId}.${faultId}${where}`,
      count,
      bounds,
      location: {
        subject: 'fault',
        packageId,
        ...defined({ instanceId }),
        faultId,
        ...defined({ operationId }),
      },
      evidenceSequences,
      grows: true,
    }),
  );
}
