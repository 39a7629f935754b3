// What the service tells Prometheus about itself. The only file that names prom-client. Labels have few values: routes by id, never paths.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Answered, Observer } from './router.js';
import type { HttpServer } from './server.js';

/** Asked for at each scrape. */
export interface ServiceFigures {
  hosts: readonly { index: number; worldsLive: number; mailboxDepth: number; commits: number }[];
  /** Every world that exists, in memory or not. */
  worlds: number;
  catalogCommits: number;
}
export interface Metrics extends Observer {
  serverStarted(engine: HttpServer['engine']): void;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export function createMetrics(figures: () => Promise<ServiceFigures>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // The process, its heap and the lag of its event loop.
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'drillyard_http_request_duration_seconds',
    help: 'From the request to its reply, by route and status.',
    labelNames: ['route', 'status'] as const,
    buckets: secondsBuckets,
    registers,
  });
  const inFlight = new Gauge({ name: 'drillyard_http_requests_in_flight', help: 'Requests without a reply so far.', registers });
  const server = new Gauge({ name: 'drillyard_http_server', help: 'The engine that answers.', labelNames: ['engine'] as const, registers });
  const readFigures = figureGauges(registers);
  return {
    contentType: registry.contentType,
    received: () => inFlight.inc(),
    answered: ({ route, status, seconds: spent }: Answered) => {
      inFlight.dec();
      seconds.observe({ route: route ?? 'none', status }, spent);
    },
    serverStarted: (engine) => server.set({ engine }, 1),
    text: async () => {
      readFigures(await figures());
      return await registry.metrics();
    },
  };
}

function figureGauges(registers: Registry[]): (figures: ServiceFigures) => void {
  const mailbox = new Gauge({ name: 'drillyard_mailbox_depth', help: 'Messages that wait, by host.', labelNames: ['host'] as const, registers });
  const live = new Gauge({ name: 'drillyard_worlds_live', help: 'Worlds in memory, by host.', labelNames: ['host'] as const, registers });
  const passivated = new Gauge({ name: 'drillyard_worlds_passivated', help: 'Worlds on the disk only.', registers });
  const commits = new Counter({ name: 'drillyard_commits_total', help: 'Commits, by store.', labelNames: ['store'] as const, registers });
  return ({ hosts, worlds, catalogCommits }) => {
    for (const { index, mailboxDepth, worldsLive } of hosts) {
      mailbox.set({ host: index }, mailboxDepth);
      live.set({ host: index }, worldsLive);
    }
    const total = (key: 'worldsLive' | 'commits'): number => hosts.reduce((sum, host) => sum + host[key], 0);
    passivated.set(Math.max(0, worlds - total('worldsLive')));
    // The stores count for themselves; what they say replaces what stood before.
    commits.reset();
    commits.inc({ store: 'worlds' }, total('commits'));
    commits.inc({ store: 'catalog' }, catalogCommits);
  };
}
