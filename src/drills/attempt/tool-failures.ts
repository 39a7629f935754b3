// The failures of tool code that an attempt's evidence holds, by handler.
import { limits } from '../../contract/limits.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import type { ToolFailureReport, ToolThrow } from '../../contract/world/tool-failure.js';

const broken = new Set(['HANDLER_FAILED', 'UNDECLARED_ERROR']);

export class ToolFailures {
  readonly #byHandler = new Map<string, ToolFailureReport>();

  observe(entry: EvidenceEntry): void {
    const { sequence } = entry;
    if (entry.kind === 'operation' && entry.outcome.kind === 'tool_error' && entry.toolOverride === undefined) {
      const { packageId, operationId: handlerId } = entry.invocation;
      const { code, message } = entry.outcome.error;
      if (broken.has(code)) this.#add({ packageId, kind: 'operation', handlerId, message, count: 1, sequence });
    }
    if (entry.kind === 'event' && entry.phase === 'failed' && entry.error !== undefined && broken.has(entry.error.code)) {
      const { handlerPackageId: packageId = entry.event.packageId, subscriptionId: handlerId = entry.event.eventId, error } = entry;
      this.#add({ packageId, kind: 'subscription', handlerId, message: error.message, count: 1, sequence });
    }
  }

  get isEmpty(): boolean {
    return this.#byHandler.size === 0;
  }

  /** With the words of what was thrown, where they are still known. */
  list(throws: readonly ToolThrow[]): ToolFailureReport[] {
    return [...this.#byHandler.values()].map((failure) => {
      const own = throws.find(({ packageId, handlerId }) => packageId === failure.packageId && handlerId === failure.handlerId);
      return own === undefined ? failure : { ...failure, message: own.detail };
    });
  }

  #add(failure: ToolFailureReport): void {
    const key = `${failure.packageId} ${failure.kind} ${failure.handlerId}`;
    const known = this.#byHandler.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#byHandler.size < limits.reportListItemsMax) this.#byHandler.set(key, failure);
  }
}
