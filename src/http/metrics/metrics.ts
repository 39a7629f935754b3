// What the service tells Prometheus about itself; docs/watching.md lists it all. Labels have few values, whatever tenants do: routes by id,
// never paths, and no id of anybody.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ControlFigures } from '../../control/figures.js';
import type { ControlMeter } from '../../control/memory/control-meter.js';
import type { AnsweredRequest, Observer } from '../answered-request.js';
import type { HttpServer } from '../server.js';
import { tuning } from '../tuning.js';
import { controlMeter } from './control-metrics.js';
import { figureGauges } from './figure-gauges.js';

export interface Metrics extends Observer {
  /** What happens in the control plane is counted by it. */
  readonly meter: ControlMeter;
  serverStarted(engine: HttpServer['engine']): void;
  /** A request without a valid credential got 429 in place of 401. */
  strangerLimited(): void;
  /** Figures of what only some services have, as a node's forwards (forward-metrics.ts). */
  add<Meter>(make: (registers: Registry[]) => Meter): Meter;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

let ofProcess: Registry | undefined;

/**
 * The process, its heap and the lag of its event loop: once, however many services begin and end in it. What looks at the loop does so a
 * hundred times a second, and does not end.
 */
function processRegistry(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** `figures` is asked at each scrape; undefined where there is no control plane here. */
export function createMetrics(figures: () => Promise<ControlFigures | undefined>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const processFigures = processRegistry();
  const seconds = new Histogram({
    name: 'drillyard_http_request_duration_seconds',
    help: 'From the request to its reply, by route and status.',
    labelNames: ['route', 'status'] as const,
    buckets: tuning.requestSeconds,
    registers,
  });
  const inFlight = new Gauge({ name: 'drillyard_http_requests_in_flight', help: 'Requests without a reply so far.', registers });
  const refused = new Counter({
    name: 'drillyard_http_refusals_total',
    help: 'Error replies, by code.',
    labelNames: ['code'] as const,
    registers,
  });
  const limited = new Counter({
    name: 'drillyard_http_strangers_limited_total',
    help: 'Requests without a valid credential that were one too many of their address.',
    registers,
  });
  const server = new Gauge({ name: 'drillyard_http_server', help: 'The engine that answers.', labelNames: ['engine'] as const, registers });
  const readFigures = figureGauges(registers);
  return {
    contentType: registry.contentType,
    meter: controlMeter(registers),
    received: () => inFlight.inc(),
    answered: (request: AnsweredRequest) => {
      inFlight.dec();
      seconds.observe({ route: request.route ?? 'none', status: statusOf(request) }, request.seconds);
      if (request.code !== undefined) refused.inc({ code: request.code });
    },
    strangerLimited: () => limited.inc(),
    add: (make) => make(registers),
    serverStarted: (engine) => server.set({ engine }, 1),
    text: async () => {
      const now = await figures();
      if (now !== undefined) readFigures(now);
      return `${await processFigures.metrics()}\n${await registry.metrics()}`;
    },
  };
}

/** A wire route answers with whatever status its tool says: as many as there are would be as many series. */
function statusOf({ route, status }: AnsweredRequest): string {
  return route === 'wire' ? `${Math.floor(status / 100)}xx` : String(status);
}
