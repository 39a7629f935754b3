// junit.xml in the form that CI systems read (the junit-10 schema): a suite a run, a case an assertion and a case a checkpoint.
//   A gate that failed is a failure; what could not be decided or checked is an error, so that it is never green; what is no gate
//   and did not hold is skipped with its message, as it decides nothing.
import { limits } from '../contract/limits.js';
import { usageOf } from '../contract/run/agent-usage.js';
import type { AssertionResult, CheckpointResult, InteractionResult, Verdict } from '../contract/run/run.js';
import type { RunEvent, RunReport, SkippedDrill } from '../contract/run/run-events.js';
import { agentWords, failedInteractions, isFlaky } from './findings.js';
import { gateText } from './gate-text.js';
import { plain } from './palette.js';
import { repeatCommand } from './repeat-command.js';
import { neverStarted, trialName } from './run-records.js';
import { type RunRefusal, refusalText, refusedTest } from './run-refusal.js';
import { trialText, valueText } from './shown-values.js';
import { runHeading, toolFailureLines, whyLines } from './text-report.js';
import { tuning } from './tuning.js';
import { element, type XmlElement, xmlDocument } from './xml.js';

/** One document for any number of runs. */
export function junitXml(reports: readonly RunReport[]): string {
  return junitOf(reports.map((report) => ({ ...runSuite(report), ms: report.finishedAtMs - report.startedAtMs })));
}

/**
 * A suite a trial, by its last attempt: an earlier one that did not pass would make a run red that is not. It is shown as the property
 * `earlierAttempts` of the suite. The suite has one name, whichever attempt that was: CI systems know tests by their names.
 */
export class MergedJunit {
  readonly #suites = new Map<string, TrialSuite>();
  #refused: Suite[] = [];

  take(report: RunReport, verdict: Verdict): void {
    const { drillId, trial, attempt } = report.result.identity;
    const key = `${trial} ${drillId}`;
    const before = this.#suites.get(key);
    const earlier = before === undefined ? [] : [...before.earlier, before.summary];
    const more = earlier.length === 0 ? [] : [element('property', { name: 'earlierAttempts', value: earlier.join('; ') })];
    const summary = `attempt ${attempt} ${verdict} (${report.runId})`;
    const which = trialText({ identity: { ...report.result.identity, attemptLimit: 1 } });
    const unreported =
      verdict === report.result.verdict
        ? []
        : [errorCase('report', suiteName(report, which), 'report', 'The report of this attempt could not be written.')];
    this.#suites.set(key, {
      ...runSuite(report, { which, properties: more, cases: unreported }),
      ms: report.finishedAtMs - report.startedAtMs,
      earlier,
      summary,
      verdict,
    });
  }

  skip(drill: SkippedDrill): void {
    this.#suites.set(`1 ${drill.drillId}`, skippedSuite(drill));
  }

  close(event: Extract<RunEvent, { event: 'drill' }>): void {
    const { drillId, trialCount, notStarted } = event;
    for (const trial of notStarted?.trials ?? []) this.#suites.set(`${trial} ${drillId}`, notRunSuite({ drillId, trial, trialCount }));
    const why = gateText(event);
    if (why === undefined) return;
    for (const [key, suite] of this.#suites) {
      const isOther = drillOf(key) !== drillId || suite.verdict === 'passed';
      if (!isOther) this.#suites.set(key, { ...suite, ...toleratedSuite(suite, why) });
    }
  }

  /** The run ended with an error, whatever it had come to. */
  refuse(refusal: RunRefusal): void {
    this.#refused = [refusedSuite(refusal)];
  }

  text(): string {
    return junitOf([...this.#refused, ...this.#suites.values()]);
  }
}

function drillOf(key: string): string {
  return key.slice(key.indexOf(' ') + 1);
}

/** Of a trial that the run ended before: an error, as what was not decided is never green. */
function notRunSuite(trial: Parameters<typeof trialName>[0]): TrialSuite {
  const name = trialName(trial);
  return suiteOfTrial(name, errorCase('run', name, 'not_run', neverStarted), 'inconclusive');
}

function skippedSuite({ drillId, title, reason }: SkippedDrill): TrialSuite {
  const skipped = element('skipped', { message: reason });
  return suiteOfTrial(drillId, element('testcase', { name: title ?? 'run', classname: drillId, time: seconds(0) }, skipped), 'passed');
}

function suiteOfTrial(name: string, testCase: XmlElement, verdict: Verdict): TrialSuite {
  return { ...suiteOfOne(name, testCase), earlier: [], summary: '', verdict };
}

function refusedSuite(refusal: RunRefusal): Suite {
  const { code, message } = refusal;
  const error = element('error', { type: code, message }, refusalText(refusal));
  return suiteOfOne(refusedTest, element('testcase', { name: refusedTest, classname: refusedTest }, error));
}

function suiteOfOne(name: string, testCase: XmlElement): Suite {
  const counts = countsOf([testCase]);
  return { xml: element('testsuite', { name, ...counts, time: seconds(0) }, testCase), counts, ms: 0 };
}

/** Of a trial whose failure its drill's gate allows: what did not hold decides nothing, so it is skipped, as what is no gate is. */
function toleratedSuite({ xml, ms }: Suite, why: string): Suite {
  const children = xml.children.map((child) => {
    if (typeof child === 'string') return child;
    if (child.name === 'properties')
      return { ...child, children: [...child.children, element('property', { name: 'tolerated', value: why })] };
    return child.name === 'testcase' ? toleratedCase(child, why) : child;
  });
  const counts = countsOf(children);
  return { xml: { ...xml, attributes: { ...xml.attributes, ...counts }, children }, counts, ms };
}

function toleratedCase(testCase: XmlElement, why: string): XmlElement {
  const [outcome] = testCase.children as XmlElement[];
  if (outcome === undefined || outcome.name === 'skipped') return testCase;
  return { ...testCase, children: [element('skipped', { message: `tolerated (${why}): ${outcome.attributes.message}` })] };
}

interface Suite {
  xml: XmlElement;
  counts: Counts;
  ms: number;
}
/** Of a trial, by its last attempt. */
interface TrialSuite extends Suite {
  /** A line for each attempt before it. */
  earlier: string[];
  summary: string;
  verdict: Verdict;
}

function junitOf(suites: readonly Suite[]): string {
  const totals = sum(suites.map((suite) => suite.counts));
  const time = seconds(suites.reduce((sum, { ms }) => sum + ms, 0));
  return xmlDocument(
    element(
      'testsuites',
      { name: 'Drillyard', time, tests: totals.tests, failures: totals.failures, errors: totals.errors },
      ...suites.map((suite) => suite.xml),
    ),
  );
}

interface Counts {
  tests: number;
  failures: number;
  errors: number;
  skipped: number;
}

interface SuiteParts {
  which: string;
  properties: XmlElement[];
  /** Beside those of the report. */
  cases: XmlElement[];
}

function suiteName({ drill }: RunReport, which: string): string {
  return `${drill.id}${which === '' ? '' : ` (${which})`}`;
}

function runSuite(
  report: RunReport,
  { which = trialText(report.result), properties = [], cases: more = [] }: Partial<SuiteParts> = {},
): { xml: XmlElement; counts: Counts } {
  const { result } = report;
  const className = suiteName(report, which);
  const cases = [
    ...more,
    ...(result.failure === undefined ? [] : [errorCase('run', className, result.failure.code, result.failure.message)]),
    ...(result.verdict === 'passed'
      ? []
      : failedInteractions(result)
          .slice(0, limits.reportListItemsMax)
          .map((one) => agentCase(one, className))),
    ...result.assertionResults.map((assertion) => assertionCase(assertion, className)),
    ...result.checkpoints
      .filter((checkpoint) => checkpoint.assertionResults.length > 0)
      .map((checkpoint) => checkpointCase(checkpoint, className)),
  ];
  // What reads such documents adds up the times of cases: the first has all of it, as they were all decided by one run.
  const took = seconds(report.finishedAtMs - report.startedAtMs);
  const timed = cases.map((testCase, index) => ({
    ...testCase,
    attributes: { ...testCase.attributes, time: index === 0 ? took : seconds(0) },
  }));
  const counts = countsOf(timed);
  const timestamp = new Date(report.startedAtMs).toISOString().slice(0, 19);
  const attributes = { name: className, ...counts, time: took, timestamp };
  return {
    xml: element('testsuite', attributes, suiteProperties(report, properties), ...timed, ...systemOut(report), ...systemErr(report)),
    counts,
  };
}

function countsOf(children: readonly (XmlElement | string)[]): Counts {
  const cases = children.filter((child): child is XmlElement => typeof child !== 'string' && child.name === 'testcase');
  const outcomes = cases.map((testCase) => (testCase.children[0] as XmlElement | undefined)?.name);
  const of = (name: string): number => outcomes.filter((outcome) => outcome === name).length;
  return { tests: cases.length, failures: of('failure'), errors: of('error'), skipped: of('skipped') };
}

function suiteProperties(report: RunReport, more: XmlElement[]): XmlElement {
  const { drill, target, result, engineVersion } = report;
  const { identity } = result;
  const facts: { [name: string]: string | undefined } = {
    title: drill.title,
    tags: drill.tags.join(' ') || undefined,
    target: target.id,
    scenario: identity.scenarioId,
    runId: identity.runId,
    seed: identity.seed,
    repeat: repeatCommand(report),
    verdict: result.verdict,
    flaky: isFlaky(result) ? `passed only at attempt ${identity.attempt}` : undefined,
    buildHash: identity.buildHash,
    setupHash: identity.setupHash,
    stateHash: result.stateHash,
    evidenceHash: result.evidenceHash,
    trajectoryHash: result.trajectoryHash,
    engineVersion,
    ...Object.fromEntries(Object.entries(usageOf(result) ?? {}).map(([name, used]) => [name, String(used)])),
  };
  const properties = Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [element('property', { name, value })]));
  return element('properties', {}, ...properties, ...more);
}

function assertionCase(assertion: AssertionResult, classname: string): XmlElement {
  const { assertionId, kind, status, gate, message } = assertion;
  const children: XmlElement[] = [];
  if (status !== 'passed') {
    if (!gate) children.push(element('skipped', { message: `not a gate, ${status}: ${message}` }));
    else children.push(element(status === 'failed' ? 'failure' : 'error', { type: kind, message }, assertionText(assertion)));
  }
  return element('testcase', { name: assertionId, classname }, ...children);
}

function checkpointCase({ checkpointId, verdict, assertionResults }: CheckpointResult, classname: string): XmlElement {
  const decisive = assertionResults.filter((assertion) => assertion.gate && assertion.status !== 'passed');
  const children: XmlElement[] = [];
  if (verdict !== 'passed') {
    const message = `${decisive.map((assertion) => assertion.assertionId).join(', ')}: ${decisive[0]?.message ?? verdict}`;
    const text = decisive.map(assertionText).join('\n\n');
    children.push(element(verdict === 'failed' ? 'failure' : 'error', { type: 'checkpoint', message }, text));
  }
  return element('testcase', { name: `checkpoint ${checkpointId}`, classname }, ...children);
}

/** First, as it is what the others were left undecided by. */
function agentCase({ interactionId, targetResult }: InteractionResult, className: string): XmlElement {
  return errorCase(`agent ${interactionId}`, className, targetResult.error?.code ?? 'agent', agentWords({ targetResult }));
}

function errorCase(name: string, classname: string, type: string, message: string): XmlElement {
  return element('testcase', { name, classname }, element('error', { type, message }, message));
}

function assertionText({ assertionId, message, expected, actual, evidenceSequences }: AssertionResult): string {
  const lines = [`${assertionId}: ${message}`];
  if (expected !== undefined || actual !== undefined) lines.push(`expected: ${valueText(expected)}`, `actual: ${valueText(actual)}`);
  if (evidenceSequences.length > 0) lines.push(`evidence: ${evidenceSequences.slice(0, tuning.junitSequences).join(', ')}`);
  return lines.join('\n');
}

/** What a person reads first when the suite is red. */
function systemOut(report: RunReport): XmlElement[] {
  if (report.result.verdict === 'passed' && failedInteractions(report.result).length === 0 && !isFlaky(report.result)) return [];
  return [element('system-out', {}, [...runHeading(report, plain), '', ...whyLines(report, [], plain)].join('\n'))];
}

/** Beside the verdict: a tool that broke is nothing that an assertion says. */
function systemErr(report: RunReport): XmlElement[] {
  const lines = toolFailureLines(report, plain);
  return lines.length === 0 ? [] : [element('system-err', {}, lines.join('\n'))];
}

function sum(all: readonly Counts[]): Counts {
  const total = { tests: 0, failures: 0, errors: 0, skipped: 0 };
  for (const counts of all) for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += counts[name];
  return total;
}

function seconds(ms: number): string {
  return (Math.max(ms, 0) / 1000).toFixed(3);
}
