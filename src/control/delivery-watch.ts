// Callback deliveries of sessions as figures and traces see them: each attempt, and what became of its delivery. Owns which attempts are
// under way.
import type { DeliveryObserver } from '../callbacks/delivering-world.js';
import type { DeliveryAnswer } from '../contract/world-protocol.js';
import { inSpan } from '../tracing/tracing.js';
import type { CallbackResult } from './control-meter.js';
import type { ControlServices } from './services.js';

export class DeliveryWatch implements DeliveryObserver {
  readonly #services: Pick<ControlServices, 'meter' | 'tracing'>;
  /** Since when, in monotonic milliseconds, the oldest first. */
  readonly #underWay = new Set<{ sinceMs: number }>();

  constructor(services: Pick<ControlServices, 'meter' | 'tracing'>) {
    this.#services = services;
  }

  figures(): { inFlight: number; oldestSeconds: number } {
    const [oldest] = this.#underWay;
    return { inFlight: this.#underWay.size, oldestSeconds: oldest === undefined ? 0 : (performance.now() - oldest.sinceMs) / 1000 };
  }

  readonly attempt: DeliveryObserver['attempt'] = async ({ deliveryId, receiverId, attempt, method }, receiver, send) => {
    const { meter, tracing } = this.#services;
    const begun = { sinceMs: performance.now() };
    this.#underWay.add(begun);
    try {
      const { hostname, port, protocol } = new URL(receiver.url);
      const attributes = {
        'http.request.method': method,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
        'drillyard.callback.receiver_id': receiverId,
        'drillyard.callback.delivery_id': deliveryId,
        'drillyard.callback.attempt': attempt,
      };
      const answer = await inSpan(tracing, { name: `${method} callback`, kind: 'client', attributes }, async (span) => {
        const traceparent = tracing?.traceparent();
        const answered = await send(traceparent === undefined ? {} : { traceparent });
        if (answered.kind === 'status') span?.set({ 'http.response.status_code': answered.status });
        if (answered.kind === 'none' || answered.status >= 400)
          span?.fail(answered.kind === 'none' ? answered.reason : String(answered.status));
        return answered;
      });
      meter.callbackAttempted({ result: resultOf(answer), seconds: (performance.now() - begun.sinceMs) / 1000 });
      return answer;
    } finally {
      this.#underWay.delete(begun);
    }
  };

  readonly settled: DeliveryObserver['settled'] = (phase) => this.#services.meter.callbackSettled(phase);
}

/** A status outside of the five classes is none that HTTP knows: it counts as the last. */
function resultOf(answer: DeliveryAnswer): CallbackResult {
  if (answer.kind === 'none') return answer.reason;
  return `${Math.min(5, Math.max(1, Math.floor(answer.status / 100)))}xx` as CallbackResult;
}

const watches = new WeakMap<ControlServices, DeliveryWatch>();

/** One for each control room. */
export function deliveryWatch(services: ControlServices): DeliveryWatch {
  let watch = watches.get(services);
  if (watch === undefined) {
    watch = new DeliveryWatch(services);
    watches.set(services, watch);
  }
  return watch;
}
