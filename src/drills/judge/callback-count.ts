// callback.count: how often deliveries of a callback reached a phase.
import { defined } from '../../contract/defined.js';
import type { CallbackCountAssertion } from '../../contract/run/assertion.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { noun } from '../../text/counted.js';
import { countFinding } from './count-finding.js';
import { entryCounter } from './entry-counter.js';
import type { Check } from './finding.js';

export function callbackCount({ packageId, instanceId, callbackId, phase, count: bounds }: CallbackCountAssertion): Check {
  const isOurs = (entry: EvidenceEntry): boolean =>
    entry.kind === 'callback' &&
    entry.phase === phase &&
    entry.callbackId === callbackId &&
    entry.packageId === packageId &&
    (instanceId === undefined || entry.instanceId === instanceId);
  return entryCounter(isOurs, (count, evidenceSequences) =>
    countFinding({
      subject: (many) => `${phase} ${noun(many, 'delivery', 'deliveries')} of callback ${packageId}.${callbackId}`,
      count,
      bounds,
      location: { subject: 'callback', packageId, ...defined({ instanceId }), callbackId },
      evidenceSequences,
      grows: true,
    }),
  );
}
