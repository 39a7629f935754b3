import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Verdict } from '../../src/contract/run/run.js';
import type { RunEvent } from '../../src/contract/run/run-events.js';
import type { CommandPlace } from '../../src/reports/command-place.js';
import { plain } from '../../src/reports/palette.js';
import { createTerminalReporter } from '../../src/reports/terminal-reporter.js';
import { whyLines } from '../../src/reports/text-report.js';
import { FakeTerminal } from './fake-terminal.js';
import { failingRun, passingRun } from './fixtures.js';

const escapeChar = '\u001b';

const started = (runId: string, drillId: string, [trial, trialCount]: [number, number], attempt = 1): RunEvent => ({
  event: 'attempt_started',
  runId,
  drillId,
  trial,
  trialCount,
  attempt,
  attemptLimit: 2,
});
const ended = (runId: string, drillId: string, trial: number, verdict: Verdict, attempt = 1): RunEvent => ({
  event: 'attempt',
  runId,
  drillId,
  trial,
  attempt,
  status: 'sealed',
  verdict,
  stateHash: '',
  evidenceHash: '',
  trajectoryHash: '',
  report: `.service/reports/${runId}`,
  detail: { report: (verdict === 'passed' ? passingRun() : failingRun()).report, cited: [] },
});

/** Two drills: one fails one of its two trials, the other passes when it is tried again. */
function play(reporter: { onEvent(event: RunEvent): void }, between: (step: string) => void = () => {}): void {
  const tell = (event: RunEvent): void => {
    reporter.onEvent(event);
    between(event.event);
  };
  tell({ event: 'plan', invocationId: 'inv_01', runs: 3, drills: 2, concurrency: 2, seed: '42' });
  tell(started('run_a', 'refund', [1, 2]));
  tell({ event: 'interaction', runId: 'run_a', drillId: 'refund', interactionId: 'ask', phase: 'started' });
  tell(started('run_b', 'answer', [1, 1]));
  tell(ended('run_a', 'refund', 1, 'passed'));
  tell(started('run_c', 'refund', [2, 2]));
  tell(ended('run_b', 'answer', 1, 'failed'));
  tell(started('run_d', 'answer', [1, 1], 2));
  tell(ended('run_d', 'answer', 1, 'passed', 2));
  tell({ event: 'drill', drillId: 'answer', verdict: 'passed', trialsPassed: 1, trialCount: 1 });
  tell(ended('run_c', 'refund', 2, 'failed'));
  tell({ event: 'drill', drillId: 'refund', verdict: 'failed', trialsPassed: 1, trialCount: 2 });
  tell({ event: 'summary', verdict: 'failed', passed: 1, failed: 1, inconclusive: 0 });
}

test('a second run of the same reporter starts afresh: durations, reasons, totals', () => {
  const terminal = new FakeTerminal({ isTTY: false });
  let nowMs = 0;
  const reporter = createTerminalReporter({ environment: {}, stream: terminal, color: false, nowMs: () => nowMs });
  play(reporter);
  const first = terminal.written;
  nowMs = 5000;
  play(reporter);
  assert.equal(terminal.written, first + first);
});

test('a stream that is no terminal gets lines that only grow, without escapes', () => {
  const terminal = new FakeTerminal({ isTTY: false });
  play(createTerminalReporter({ environment: {}, stream: terminal, color: false, nowMs: () => 0 }));
  assert.ok(!terminal.written.includes(escapeChar) && !terminal.written.includes('\r'));
  const lines = terminal.written.split('\n');
  assert.ok(lines.includes('✗ refund  1 of 2 trials  0 ms'));
  assert.ok(lines.includes('✓ answer  0 ms  flaky: passed only when tried again'));
  assert.ok(lines.includes('  ✗ answer  trial 1, attempt 1  run_b'));
});

test('the end explains each trial that did not pass: expected, actual, evidence and where the report lies', () => {
  const terminal = new FakeTerminal({ isTTY: false });
  play(createTerminalReporter({ environment: {}, stream: terminal, color: false, nowMs: () => 0 }));
  const end = terminal.written.slice(terminal.written.indexOf('FAILED'));
  for (const said of [
    '✗ refunded-once  state.count',
    'expected  exactly 1',
    'actual    2',
    'evidence  #5, #10',
    'report  .service/reports/run_c/index.html',
    'FAILED  2 drills: 1 passed, 1 failed',
    'reports in .service/reports',
  ]) {
    assert.ok(end.includes(said), said);
  }
  // The trial that passed in the end is not explained.
  assert.ok(!end.includes('run_b'));
});

test('a terminal shows what runs below what is finished, and in the end only what stays', () => {
  const terminal = new FakeTerminal({ isTTY: true, columns: 120, rows: 30 });
  const seen: string[][] = [];
  const reporter = createTerminalReporter({ environment: {}, stream: terminal, color: false, nowMs: () => 0 });
  play(reporter, (step) => {
    if (step === 'drill') seen.push(terminal.screen());
  });
  assert.ok(
    seen[0]?.some((line) => /^. refund +trial 2 of 2/.test(line)),
    'the running attempt is shown',
  );
  assert.ok(seen[0]?.some((line) => line.includes('  66%  2 of 3 runs  ✓ 2  ✗ 0  ? 0')));
  const plain = new FakeTerminal({ isTTY: false });
  play(createTerminalReporter({ environment: {}, stream: plain, color: false, nowMs: () => 0 }));
  assert.deepEqual(terminal.screen(), plain.written.trimEnd().split('\n'));
});

test('closing ends the redrawing and stops listening, however often', () => {
  const terminal = new FakeTerminal({ isTTY: true, columns: 80, rows: 30 });
  const reporter = createTerminalReporter({ environment: {}, stream: terminal, color: false });
  reporter.onEvent({ event: 'plan', invocationId: 'inv_01', runs: 1, drills: 1, concurrency: 1, seed: '1' });
  reporter.onEvent(started('run_a', 'refund', [1, 1]));
  assert.equal(terminal.listeners, 1);
  terminal.resize({ columns: 40 });
  reporter.close();
  reporter.close();
  assert.equal(terminal.listeners, 0);
  assert.deepEqual(terminal.screen(), ['', 'Drillyard  1 drill · 1 run · seed 1']);
});

test('color is for terminals, unless NO_COLOR or FORCE_COLOR say otherwise', () => {
  const colored = (isTTY: boolean, environment: { [name: string]: string }): boolean => {
    const terminal = new FakeTerminal({ isTTY, columns: 80, rows: 24 });
    const reporter = createTerminalReporter({ environment, stream: terminal });
    reporter.onEvent({ event: 'plan', invocationId: 'inv_01', runs: 1, drills: 1, concurrency: 1, seed: '1' });
    reporter.close();
    return terminal.written.includes(`${escapeChar}[1m`);
  };
  assert.equal(colored(true, { TERM: 'xterm' }), true);
  assert.equal(colored(false, { TERM: 'xterm' }), false);
  assert.equal(colored(true, { TERM: 'xterm', NO_COLOR: '1' }), false);
  assert.equal(colored(false, { TERM: 'xterm', FORCE_COLOR: '1' }), true);
  assert.equal(colored(true, { TERM: 'xterm', FORCE_COLOR: '0' }), false);
  assert.equal(colored(true, { TERM: 'dumb' }), false);
});

test('thousands of trials leave bounded reasons', () => {
  const terminal = new FakeTerminal({ isTTY: false });
  const reporter = createTerminalReporter({ environment: {}, stream: terminal, color: false, nowMs: () => 0 });
  reporter.onEvent({ event: 'plan', invocationId: 'inv_01', runs: 1000, drills: 1, concurrency: 1, seed: '1' });
  for (let trial = 1; trial <= 1000; trial++) {
    reporter.onEvent(started(`run_${trial}`, 'refund', [trial, 1000]));
    reporter.onEvent(ended(`run_${trial}`, 'refund', trial, 'failed'));
  }
  reporter.onEvent({ event: 'summary', verdict: 'failed', passed: 0, failed: 1, inconclusive: 0 });
  assert.equal(terminal.written.match(/report {2}\.service/g)?.length, 25);
  assert.ok(terminal.written.includes('975 more trials did not pass; the reports tell why.'));
});

test('a terminal that calls itself dumb gets the lines that stay, and no cursor is moved', () => {
  // Its lines are not fitted, so that they may be wider than it; and so is what CI calls a terminal.
  for (const environment of [{ TERM: 'dumb' }, { CI: 'true' }]) {
    const terminal = new FakeTerminal({ isTTY: true, columns: 400 });
    play(createTerminalReporter({ environment, stream: terminal, color: false }));
    assert.doesNotMatch(terminal.written, new RegExp(escapeChar));
    assert.match(terminal.written, /passed/);
  }
});

test('the head counts the drills as the foot does, with those that are skipped', () => {
  const log = new FakeTerminal({ isTTY: false });
  const reporter = createTerminalReporter({ environment: {}, stream: log });
  reporter.onEvent({ event: 'plan', invocationId: 'inv_01', runs: 10, drills: 7, skipped: 1, concurrency: 1, seed: '1' });
  reporter.onEvent({ event: 'summary', verdict: 'passed', passed: 7, failed: 0, inconclusive: 0, skipped: 1 });
  assert.match(log.written, /Drillyard {2}8 drills \(1 skipped\) · 10 runs · seed 1\n/);
  assert.match(log.written, /PASSED {2}8 drills: 7 passed, 1 skipped/);
});

const commandPlace: CommandPlace = { own: 'npx drillyard', flags: ' --root repo', runName: (runId, folder) => `${folder}:${runId}` };
const placeOf = () => ({ file: 'drills/refund.drill.yaml', line: 12, column: 5 });
/** What is said in the end of a run that failed, on a terminal of so many columns; a command may be wider. */
function failure({ columns, color = false }: { columns: number; color?: boolean }): string {
  let written = '';
  const stream = { isTTY: true, columns, rows: 60, write: (text: string) => (written += text) };
  const environment = { TERM: 'xterm' };
  play(createTerminalReporter({ environment, stream, color, nowMs: () => 0, placeOf, commandPlace }));
  return written.slice(written.indexOf('FAILED'));
}

test('what to do next: the report, the place of what failed, and commands that find the repository', () => {
  const said = failure({ columns: 200 });
  assert.match(said, /\n {2}report {2}\.service\/reports\/run_c\/index\.html\n {2}source {2}drills\/refund\.drill\.yaml:12\n/);
  assert.match(
    said,
    /\n {2}show {4}npx drillyard show \.service\/reports\/run_c:run_\w+ --root repo --journal --at \d+\n {2}repeat {2}npx drillyard run refund-\S+ --root repo --seed 42 --trials 3 --trial 2\n/,
  );
});

test('on a terminal with colors the report and the source are links; elsewhere no line has one', () => {
  const links = failure({ columns: 200, color: true }).split(`${escapeChar}]8;;file://`);
  assert.equal(links.length, 3);
  assert.ok(links[1]?.includes('/.service/reports/run_c/index.html'));
  assert.ok(!failure({ columns: 200 }).includes(']8;;'));
  const log = new FakeTerminal({ isTTY: false });
  play(createTerminalReporter({ environment: {}, stream: log, color: true, nowMs: () => 0, placeOf }));
  assert.ok(!log.written.includes(']8;;'));
});

test('a narrow terminal gets lines that fit, values under values', () => {
  const said = failure({ columns: 60 });
  const lines = said.slice(0, said.indexOf('\n  report  ')).split('\n');
  for (const line of lines.filter((one) => one.includes(' '))) assert.ok(line.length <= 60 || !line.trim().includes(' '), line);
  assert.ok(lines.some((line) => /^ {14}\S/.test(line)));
});

test('of many entries of evidence the last one is shown, and those between are numbers', () => {
  const { report } = failingRun();
  const [gate] = report.result.assertionResults.filter(({ status }) => status === 'failed');
  assert.ok(gate !== undefined);
  gate.evidenceSequences = Array.from({ length: 10 }, (_, index) => index + 1);
  const cited = gate.evidenceSequences.map((sequence) => ({ sequence, text: `entry ${sequence}` }));
  const lines = whyLines(report, cited, plain);
  const at = lines.findIndex((line) => line.includes('#1 entry 1'));
  assert.deepEqual(
    lines.slice(at, at + 9).map((line) => line.trim()),
    [
      'evidence  #1 entry 1',
      '#2 entry 2',
      '#3 entry 3',
      '#4 entry 4',
      '#5 entry 5',
      '#6 entry 6',
      '#7 entry 7',
      'and #8–9',
      '#10 entry 10',
    ],
  );
});
