// Counts the calls that a filter means, and tells what came near.
import type { CountBounds, OperationChoice } from '../../contract/run/assertion.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { countFinding } from './count-finding.js';
import { type Check, Citations, type Finding } from './finding.js';
import { describeCalls, matchCall, NearMisses, operationLocation } from './operation-filter.js';

export class OperationCounter implements Check {
  readonly #filter: OperationChoice;
  readonly #bounds: CountBounds;
  readonly #matching = new Citations();
  readonly #others = new Citations();
  readonly #near = new NearMisses();
  readonly #countsReplays: boolean;
  #count = 0;

  constructor(filter: OperationChoice, bounds: CountBounds, { countsReplays }: { countsReplays: boolean }) {
    this.#filter = filter;
    this.#bounds = bounds;
    this.#countsReplays = countsReplays;
  }

  observe(entry: EvidenceEntry): void {
    if (entry.kind !== 'operation' || (!this.#countsReplays && entry.idempotency === 'replayed')) return;
    const match = matchCall(entry, this.#filter);
    if (match.matches) {
      this.#count += 1;
      this.#matching.add(entry.sequence);
    } else if (match.reason !== undefined) {
      this.#near.add(match.reason);
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
