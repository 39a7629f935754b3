// Callback deliveries of sessions as figures and traces see them: each attempt, and what became of its delivery. Owns which attempts are
// under way.
import type { DeliveryObserver } from '../../callbacks/delivering-world.js';
import { defined } from '../../contract/defined.js';
import type { DeliveryAnswer } from '../../contract/world/world-protocol.js';
import { inSpan, type Tracing } from '../../tracing/tracing.js';
import type { CallbackResult, ControlMeter } from './control-meter.js';

interface Observers {
  meter: ControlMeter;
  tracing?: Tracing | undefined;
}

export class DeliveryWatch implements DeliveryObserver {
  readonly #observers: Observers;
  /** Since when, in monotonic milliseconds, the oldest first. */
  readonly #underWay = new Set<{ sinceMs: number }>();

  constructor(observers: Observers) {
    this.#observers = observers;
  }

  figures(): { inFlight: number; oldestSeconds: number } {
    const [oldest] = this.#underWay;
    return { inFlight: this.#underWay.size, oldestSeconds: oldest === undefined ? 0 : (performance.now() - oldest.sinceMs) / 1000 };
  }

  readonly attempt: DeliveryObserver['attempt'] = async ({ deliveryId, receiverId, attempt, method }, receiver, send) => {
    const { meter, tracing } = this.#observers;
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
        const answered = await send(defined({ traceparent }));
        if (answered === undefined) span?.fail('broken_off');
        if (answered?.kind === 'status') span?.set({ 'http.response.status_code': answered.status });
        if (answered?.kind === 'none') span?.fail(answered.reason);
        if (answered?.kind === 'status' && answered.status >= 400) span?.fail(String(answered.status));
        return answered;
      });
      if (answer !== undefined) meter.callbackAttempted({ result: resultOf(answer), seconds: (performance.now() - begun.sinceMs) / 1000 });
      return answer;
    } finally {
      this.#underWay.delete(begun);
    }
  };

  readonly settled: DeliveryObserver['settled'] = (phase) => this.#observers.meter.callbackSettled(phase);
}

/** A status outside of the five classes is none that HTTP knows: it counts as the last. */
function resultOf(answer: DeliveryAnswer): CallbackResult {
  if (answer.kind === 'none') return answer.reason;
  return `${Math.min(5, Math.max(1, Math.floor(answer.status / 100)))}xx` as CallbackResult;
}
