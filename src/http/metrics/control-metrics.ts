// What happens in the control plane, as counters and histograms. Those with a label that has few values begin at 0, so that a rate sees the
// first.
import { Counter, Histogram, type Registry } from 'prom-client';
import type { LongRunningOperation } from '../../contract/hosted/operation.js';
import type { ControlMeter } from '../../control/memory/control-meter.js';
import { tuning } from '../tuning.js';

export function controlMeter(registers: Registry[]): ControlMeter {
  const hosts = hostMetrics(registers);
  const deliveries = callbackMetrics(registers);
  const operationEnded = operationMetrics(registers);
  const runs = new Histogram({
    name: 'drillyard_run_duration_seconds',
    help: 'Of hosted runs, from their start to their end, by state and verdict.',
    labelNames: ['state', 'verdict'] as const,
    buckets: tuning.longSeconds,
    registers,
  });
  return {
    operationEnded,
    runEnded: ({ state, verdict = 'none', seconds }) => runs.observe({ state, verdict }, seconds),
    ...deliveries,
    ...hosts,
  };
}

function operationMetrics(registers: Registry[]): ControlMeter['operationEnded'] {
  const duration = new Histogram({
    name: 'drillyard_operation_duration_seconds',
    help: 'Of operations, from their record to their end, by kind and the state they ended in.',
    labelNames: ['kind', 'state'] as const,
    buckets: tuning.longSeconds,
    registers,
  });
  const wait = new Histogram({
    name: 'drillyard_operation_wait_seconds',
    help: 'Of operations that began, from their record to their first start, by kind.',
    labelNames: ['kind'] as const,
    buckets: tuning.longSeconds,
    registers,
  });
  const builds = new Histogram({
    name: 'drillyard_build_duration_seconds',
    help: 'Of builds of hosted source, from their first start to their end, by result.',
    labelNames: ['result'] as const,
    buckets: tuning.workSeconds,
    registers,
  });
  return (operation) => {
    const { kind, state, createdAtMs, startedAtMs, finishedAtMs = createdAtMs } = operation;
    duration.observe({ kind, state }, (finishedAtMs - createdAtMs) / 1000);
    if (startedAtMs !== undefined) wait.observe({ kind }, (startedAtMs - createdAtMs) / 1000);
    if (kind === 'build.compile') builds.observe({ result: buildResult(operation) }, (finishedAtMs - (startedAtMs ?? finishedAtMs)) / 1000);
  };
}

/** `invalid`: the source is at fault. */
function buildResult({ state, error }: LongRunningOperation): string {
  return state === 'failed' && error?.code === 'control.SOURCE_INVALID' ? 'invalid' : state;
}

function callbackMetrics(registers: Registry[]): Pick<ControlMeter, 'callbackAttempted' | 'callbackSettled'> {
  const attempts = new Histogram({
    name: 'drillyard_callback_attempt_duration_seconds',
    help: 'Of attempts to deliver a callback, until the answer or its absence, by result.',
    labelNames: ['result'] as const,
    buckets: tuning.workSeconds,
    registers,
  });
  const outcomes = new Counter({
    name: 'drillyard_callback_outcomes_total',
    help: 'What attempts have made of their callbacks.',
    labelNames: ['outcome'] as const,
    registers,
  });
  for (const outcome of ['delivered', 'retry_scheduled', 'failed'] as const) outcomes.inc({ outcome }, 0);
  return {
    callbackAttempted: ({ result, seconds }) => attempts.observe({ result }, seconds),
    callbackSettled: (outcome) => outcomes.inc({ outcome }),
  };
}

function hostMetrics(registers: Registry[]): Pick<ControlMeter, 'hostEnded' | 'stepSeen'> {
  const ends = new Counter({
    name: 'drillyard_host_ends_total',
    help: 'Hosts that ended without being asked to, by reason.',
    labelNames: ['reason'] as const,
    registers,
  });
  for (const reason of ['timeout', 'silent', 'crashed', 'stuck', 'killed'] as const) ends.inc({ reason }, 0);
  const steps = new Counter({
    name: 'drillyard_tool_step_seconds_total',
    help: 'How long hosts were in steps of worlds, as samples of their watchdogs have it.',
    registers,
  });
  return { hostEnded: (reason) => ends.inc({ reason }), stepSeen: (seconds) => steps.inc(seconds) };
}
