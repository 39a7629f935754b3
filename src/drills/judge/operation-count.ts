// operation.count and operation.denied: how often calls were made, or were refused for want of a grant.
import type { CountBounds, OperationCountAssertion, OperationDeniedAssertion, OperationFilter } from '../../contract/assertion.js';
import type { EvidenceEntry } from '../../contract/evidence.js';
import { countFinding } from './count-finding.js';
import { type Check, Citations, type Finding } from './finding.js';
import { callsOperation, describeCalls, mismatch, NearMisses, operationLocation } from './operation-filter.js';

class OperationCounter implements Check {
  readonly #filter: OperationFilter;
  readonly #bounds: CountBounds;
  readonly #matching = new Citations();
  readonly #others = new Citations();
  readonly #near = new NearMisses();
  readonly #countsReplays: boolean;
  #count = 0;

  constructor(filter: OperationFilter, bounds: CountBounds, { countsReplays }: { countsReplays: boolean }) {
    this.#filter = filter;
    this.#bounds = bounds;
    this.#countsReplays = countsReplays;
  }

  observe(entry: EvidenceEntry): void {
    if (!callsOperation(entry, this.#filter) || (!this.#countsReplays && entry.idempotency === 'replayed')) return;
    const reason = mismatch(entry, this.#filter);
    if (reason === null) {
      this.#count += 1;
      this.#matching.add(entry.sequence);
    } else {
      this.#near.add(reason);
      this.#others.add(entry.sequence);
    }
  }

  finding(): Finding {
    return countFinding({
      subject: (many) => describeCalls(this.#filter, many),
      count: this.#count,
      bounds: this.#bounds,
      location: operationLocation(this.#filter),
      evidenceSequences: this.#count > 0 ? this.#matching.sequences : this.#others.sequences,
      hint: this.#near.describe(),
      grows: true,
    });
  }
}

export function operationCount({ operation, count }: OperationCountAssertion): Check {
  return new OperationCounter(operation, count, { countsReplays: true });
}

export function operationDenied({ operation, count }: OperationDeniedAssertion): Check {
  // A call that is sent again with its key, as after a lost answer, was refused once.
  return new OperationCounter({ ...operation, outcome: 'denied' }, count ?? { atLeast: 1 }, { countsReplays: false });
}
