// Requests that a node of a cluster has forwarded to their owner.
import { Counter, Histogram, type Registry } from 'prom-client';
import type { ForwardMeter } from '../forward.js';
import { tuning } from '../tuning.js';

export function forwardMeter(registers: Registry[]): ForwardMeter {
  const forwards = new Counter({
    name: 'drillyard_http_forwards_total',
    help: 'Requests forwarded to the node that owns what they ask for, by result.',
    labelNames: ['result'] as const,
    registers,
  });
  for (const result of ['answered', 'no_owner', 'unknown_outcome', 'client_gone', 'refused'] as const) forwards.inc({ result }, 0);
  const seconds = new Histogram({
    name: 'drillyard_http_forward_duration_seconds',
    help: 'Of forwarded requests, until the reply, or the beginning of a long one, is there; waits for an owner are in it.',
    buckets: tuning.requestSeconds,
    registers,
  });
  return {
    forwarded: (result, duration) => {
      forwards.inc({ result });
      seconds.observe(duration);
    },
  };
}
