// A node of a cluster: its appends and takes as they happen, and at each scrape how its homes, its copies and the log stand.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { tuning } from '../tuning.js';

export interface ClusterFigures {
  isLeader: boolean;
  /** Nodes of the cluster, by state; `gone`: their beat has stopped. */
  nodes: { readonly [state in 'joining' | 'ready' | 'leaving' | 'drained' | 'gone']: number };
  /** Homes of this node, by phase. */
  homes: { readonly [phase in 'following' | 'taking' | 'owned' | 'leaving' | 'closed']: number };
  copies: readonly { home: number; entriesBehind: number; seconds: number }[];
  beatAgeSeconds: number;
  logUnavailableSeconds: number;
}
export interface ClusterMetrics {
  appended(append: { seconds: number; records: number; bytes: number }): void;
  taken(kind: 'silence' | 'handover' | 'first' | 'restart', parts: { readonly [part: string]: number }): void;
}

/** `figures` is asked at each scrape; undefined before the first beat. */
export function clusterMetrics(registers: Registry[], figures: () => ClusterFigures | undefined): ClusterMetrics {
  const seconds = new Histogram({
    name: 'drillyard_cluster_append_duration_seconds',
    help: 'Of appends, from when they were handed to the log until it had acknowledged them.',
    buckets: tuning.requestSeconds,
    registers,
  });
  const records = new Histogram({
    name: 'drillyard_cluster_append_records',
    help: 'Records in one append.',
    buckets: tuning.appendRecords,
    registers,
  });
  const bytes = new Histogram({
    name: 'drillyard_cluster_append_bytes',
    help: 'Bytes of the records in one append.',
    buckets: tuning.appendBytes,
    registers,
  });
  const takeovers = new Counter({
    name: 'drillyard_cluster_takeovers_total',
    help: 'Homes that this node took, by kind.',
    labelNames: ['kind'] as const,
    registers,
  });
  for (const kind of ['silence', 'handover', 'first', 'restart'] as const) takeovers.inc({ kind }, 0);
  const parts = new Histogram({
    name: 'drillyard_cluster_takeover_duration_seconds',
    help: 'Of these, by part.',
    labelNames: ['part'] as const,
    buckets: tuning.workSeconds,
    registers,
  });
  standing(registers, figures);
  return {
    appended: (append) => {
      seconds.observe(append.seconds);
      records.observe(append.records);
      bytes.observe(append.bytes);
    },
    taken: (kind, took) => {
      takeovers.inc({ kind });
      for (const [part, value] of Object.entries(took)) parts.observe({ part }, value);
    },
  };
}

function standing(registers: Registry[], figures: () => ClusterFigures | undefined): void {
  const of = (read: (figures: ClusterFigures) => void): (() => void) => {
    return () => {
      const now = figures();
      if (now !== undefined) read(now);
    };
  };
  const leader = new Gauge({
    name: 'drillyard_cluster_leader',
    help: '1 on the node where the control API works, else 0.',
    registers,
    collect: of(({ isLeader }) => leader.set(isLeader ? 1 : 0)),
  });
  const nodes = new Gauge({
    name: 'drillyard_cluster_nodes',
    help: 'Nodes of the cluster as this one sees them, by state.',
    labelNames: ['state'] as const,
    registers,
    collect: of((now) => {
      for (const [state, count] of Object.entries(now.nodes)) nodes.set({ state }, count);
    }),
  });
  const homes = new Gauge({
    name: 'drillyard_cluster_homes',
    help: 'Homes on this node, by phase.',
    labelNames: ['phase'] as const,
    registers,
    collect: of((now) => {
      for (const [phase, count] of Object.entries(now.homes)) homes.set({ phase }, count);
    }),
  });
  copyGauges(registers, of);
  const age = new Gauge({
    name: 'drillyard_cluster_beat_age_seconds',
    help: 'Since the last beat was sent that the log answered.',
    registers,
    collect: of(({ beatAgeSeconds }) => age.set(beatAgeSeconds)),
  });
  const unavailable = new Counter({
    name: 'drillyard_cluster_log_unavailable_seconds_total',
    help: 'How long the log did not answer beats.',
    registers,
    collect: of(({ logUnavailableSeconds }) => {
      unavailable.reset();
      unavailable.inc(logUnavailableSeconds);
    }),
  });
}

/** By home, of which there are as many as the cluster began with, whatever tenants do. */
function copyGauges(registers: Registry[], of: (read: (figures: ClusterFigures) => void) => () => void): void {
  const entries = new Gauge({
    name: 'drillyard_cluster_copy_lag_entries',
    help: 'Entries of the log that the copy of a home on this node does not have.',
    labelNames: ['home'] as const,
    registers,
    collect: of(({ copies }) => {
      entries.reset();
      for (const { home, entriesBehind } of copies) entries.set({ home }, entriesBehind);
    }),
  });
  const seconds = new Gauge({
    name: 'drillyard_cluster_copy_lag_seconds',
    help: 'Since the look that was the last to find nothing missing in the copy.',
    labelNames: ['home'] as const,
    registers,
    collect: of(({ copies }) => {
      seconds.reset();
      for (const copy of copies) seconds.set({ home: copy.home }, copy.seconds);
    }),
  });
}
