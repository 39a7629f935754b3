// How the control plane stands, as gauges that are set at each scrape. What is not there any more has no series.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ControlFigures } from '../../control/figures.js';

type Read = (figures: ControlFigures) => void;

export function figureGauges(registers: Registry[]): Read {
  const reads = [hostGauges(registers), worldGauges(registers), workGauges(registers), diskGauges(registers)];
  return (figures) => {
    for (const read of reads) read(figures);
  };
}

function hostGauges(registers: Registry[]): Read {
  const labelNames = ['host'] as const;
  const mailbox = new Gauge({ name: 'drillyard_mailbox_depth', help: 'Messages that wait, by host.', labelNames, registers });
  const live = new Gauge({ name: 'drillyard_worlds_live', help: 'Worlds in memory, by host.', labelNames, registers });
  const resident = new Gauge({
    name: 'drillyard_host_resident_bytes',
    help: 'Of a process its resident set, of a thread its heap and buffers, by host.',
    labelNames,
    registers,
  });
  const restarts = new Gauge({
    name: 'drillyard_host_restarts',
    help: 'How often a host that stands was replaced, by host.',
    labelNames,
    registers,
  });
  const ready = new Gauge({ name: 'drillyard_hosts_ready', help: 'Empty boxes, or processes, that wait to become hosts.', registers });
  return ({ hosts, hostsReady }) => {
    for (const gauge of [mailbox, live, resident, restarts]) gauge.reset();
    for (const { slot: host, mailboxDepth, worldsLive, residentBytes, restarts: replaced } of hosts) {
      mailbox.set({ host }, mailboxDepth);
      live.set({ host }, worldsLive);
      resident.set({ host }, residentBytes);
      restarts.set({ host }, replaced);
    }
    ready.set(hostsReady);
  };
}

function worldGauges(registers: Registry[]): Read {
  const passivated = new Gauge({ name: 'drillyard_worlds_passivated', help: 'Worlds on the disk only.', registers });
  const commits = new Counter({ name: 'drillyard_commits_total', help: 'Commits, by store.', labelNames: ['store'] as const, registers });
  const quarantined = new Gauge({ name: 'drillyard_builds_quarantined', help: 'Builds that are quarantined.', registers });
  return ({ hosts, worlds, worldCommits, catalogCommits, quarantinedBuilds }) => {
    passivated.set(Math.max(0, worlds - hosts.reduce((sum, { worldsLive }) => sum + worldsLive, 0)));
    // The stores count for themselves; what they say replaces what stood before.
    commits.reset();
    commits.inc({ store: 'worlds' }, worldCommits);
    commits.inc({ store: 'catalog' }, catalogCommits);
    quarantined.set(quarantinedBuilds);
  };
}

function workGauges(registers: Registry[]): Read {
  const ready = new Gauge({ name: 'drillyard_ready', help: '1 while new work is taken, else 0.', registers });
  const operations = new Gauge({
    name: 'drillyard_operations',
    help: 'Operations that have not ended, by kind and state.',
    labelNames: ['kind', 'state'] as const,
    registers,
  });
  const runs = new Gauge({ name: 'drillyard_runs_active', help: 'Hosted runs that have not ended.', registers });
  const awaiting = new Gauge({ name: 'drillyard_runs_awaiting_agent', help: 'Of these, those that wait for their agent.', registers });
  const inFlight = new Gauge({
    name: 'drillyard_callbacks_in_flight',
    help: 'Attempts to deliver a callback that have no answer so far.',
    registers,
  });
  const oldest = new Gauge({
    name: 'drillyard_callback_oldest_seconds',
    help: 'How long the oldest of these has been under way.',
    registers,
  });
  return (figures) => {
    ready.set(figures.isReady ? 1 : 0);
    for (const { kind, pending, running } of figures.operations) {
      operations.set({ kind, state: 'pending' }, pending);
      operations.set({ kind, state: 'running' }, running);
    }
    runs.set(figures.runsActive);
    awaiting.set(figures.runsAwaitingAgent);
    inFlight.set(figures.callbacks.inFlight);
    oldest.set(figures.callbacks.oldestSeconds);
  };
}

function diskGauges(registers: Registry[]): Read {
  const used = new Gauge({
    name: 'drillyard_disk_used_bytes',
    help: 'Bytes of files in the data directory, by folder, as last counted.',
    labelNames: ['folder'] as const,
    registers,
  });
  const free = new Gauge({ name: 'drillyard_disk_free_bytes', help: 'Free bytes of the file system of the data directory.', registers });
  const kept = new Gauge({ name: 'drillyard_disk_kept_bytes', help: 'Of the free bytes, those that new work may not use.', registers });
  const reserve = new Gauge({ name: 'drillyard_disk_reserve_bytes', help: 'Bytes of disk-reserve; 0 where it was given up.', registers });
  return ({ disk: { folders, freeBytes, keptBytes, reserveBytes } }) => {
    for (const [folder, bytes] of Object.entries(folders ?? {})) used.set({ folder }, bytes);
    free.set(freeBytes);
    kept.set(keptBytes);
    reserve.set(reserveBytes);
  };
}
