// Values and facts of a report as text, the same in every projection.
import type { JsonValue } from '../contract/json.js';
import { diffJson, type JsonDiff, pathText } from '../contract/json-diff.js';
import { limits } from '../contract/limits.js';
import type { AgentUsage } from '../contract/run/agent-usage.js';
import type { AssertionLocation, AssertionResult, RunResult } from '../contract/run/run.js';
import { counted, grouped } from '../text/counted.js';
import { beginningOf } from '../text/cut-text.js';
import { place } from './entry-text.js';
import { lastWords, ownPlace } from './last-words.js';
import { tuning } from './tuning.js';

/** A JSON value, over several lines when it is long, cut at `reportValueCharsMax`. */
export function valueText(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  const line = JSON.stringify(value);
  return line.length <= tuning.shortValueChars ? line : cut(JSON.stringify(value, null, 2), limits.reportValueCharsMax);
}

/** A JSON value on one line of at most `charsMax`. */
export function valueLine(value: JsonValue | undefined, charsMax = tuning.valueLineChars): string {
  if (value === undefined) return 'nothing';
  return cut(JSON.stringify(value), charsMax);
}

/** The values of an object in a few words, its own id first: `ch_000002 · 990 · requested_by_customer`. Empty where it has none. */
export function valueWords(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return cutShort(String(value), tuning.wordsChars);
  const many = Object.keys(value).length;
  if (Array.isArray(value)) return many === 0 ? 'none' : counted(many, 'item');
  const words = Object.entries(value)
    .sort(([left], [right]) => Number(isId(right)) - Number(isId(left)))
    .map(([, member]) => member)
    .filter((member) => member !== null && member !== '')
    .slice(0, tuning.wordValues)
    .map((member) =>
      typeof member === 'object' ? (Array.isArray(member) ? `[${member.length}]` : '{…}') : cutShort(String(member), tuning.wordChars),
    );
  return cutShort(words.join(' · '), tuning.wordsChars);
}

const isId = (name: string): boolean => /^id$|Id$/.test(name);

function cutShort(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;
}

/** How the actual value differs from the expected one; null where saying so adds nothing to the two values. */
export function assertionDiff({ expected, actual, diff }: AssertionResult): JsonDiff | null {
  if (diff?.matched === true || expected === undefined || actual === undefined) return null;
  // Changes of rows are matched, not compared place by place; the details name what was missing and what was not expected.
  if (diff?.operator === 'changes' || diff?.operator === 'unchanged') return null;
  if (!isContainer(expected) || !isContainer(actual)) return null;
  return diffJson(expected, actual);
}

/** What a diff says beyond the two values, or a judge beyond its message. */
export function diffDetails({ diff, judged }: AssertionResult): [string, JsonValue][] {
  const answered: [string, JsonValue][] = judged?.answer?.details === undefined ? [] : [['details', judged.answer.details]];
  const log = judged?.error?.details.log;
  const thrownAt = typeof log === 'string' ? ownPlace(lastWords(log)) : undefined;
  if (thrownAt !== undefined) answered.push(['thrown at', `${thrownAt.file}:${thrownAt.line}:${thrownAt.column}`]);
  // Of a count the details are the count and its bounds again.
  return diff === undefined || diff.operator === 'count' ? answered : Object.entries(diff.details);
}

/** `payments/charges/ch_1042 amountRefunded`, `payments.refunds.create`. */
export function locationText(location: AssertionLocation): string {
  const owner = location.packageId === undefined ? '' : place({ ...location, packageId: location.packageId });
  const rowParts = [owner, location.namespace, location.rowId].filter((part) => part !== undefined && part !== '');
  const name = location.faultId ?? location.operationId ?? location.eventId ?? location.callbackId;
  const inside = name === undefined ? rowParts.join('/') : `${owner === '' ? '' : `${owner}.`}${name}`;
  const where = location.interactionId === undefined ? inside : `output of ${location.interactionId}`;
  const path = location.path === undefined || location.path.length === 0 ? '' : ` ${pathText(location.path)}`;
  return `${where}${path}` || location.subject;
}

/** `#3, #7–9` */
export function sequencesText(sequences: readonly number[], itemsMax = tuning.sequencesListed): string {
  const runs: { from: number; to: number }[] = [];
  for (const sequence of sequences) {
    const last = runs.at(-1);
    if (last !== undefined && sequence === last.to + 1) last.to = sequence;
    else runs.push({ from: sequence, to: sequence });
  }
  const shown = runs.slice(0, itemsMax).map(({ from, to }) => (from === to ? `#${from}` : `#${from}–${to}`));
  return runs.length > itemsMax ? `${shown.join(', ')} and ${runs.length - itemsMax} more` : shown.join(', ');
}

/** Host time, rounded to what a person compares. */
export function hostDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `75 % (95 % interval 42.8 to 94.5 %)` */
export function rateText({ passRate, interval }: { passRate: number; interval: { low: number; high: number } }): string {
  // What is not certain is never shown as 0 or 100.
  const percent = (rate: number): string =>
    `${rate === 0 || rate === 1 ? rate * 100 : Math.min(Math.max(Math.round(rate * 1000) / 10, 0.1), 99.9)}`;
  return `${percent(passRate)} % (95 % interval ${percent(interval.low)} to ${percent(interval.high)} %)`;
}

/** `18,250 input tokens (16,000 cached), 941 output tokens, 4 model calls, $0.0421` */
export function usageText({ inputTokens, outputTokens, cachedInputTokens, modelCalls, costUsd }: AgentUsage): string {
  const cached = cachedInputTokens === undefined ? '' : `${grouped(cachedInputTokens)} cached`;
  const parts = [
    ...(inputTokens === undefined
      ? [cached && `${cached} input tokens`]
      : [`${counted(inputTokens, 'input token')}${cached && ` (${cached})`}`]),
    ...(outputTokens === undefined ? [] : [counted(outputTokens, 'output token')]),
    ...(modelCalls === undefined ? [] : [counted(modelCalls, 'model call')]),
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(costDigits(costUsd))}`]),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** Cents; of less than a dollar the first three digits that are not zero. */
function costDigits(costUsd: number): number {
  return costUsd === 0 || costUsd >= 1 ? 2 : Math.min(2 - Math.floor(Math.log10(costUsd)), 9);
}

/** `trial 2 of 3, attempt 1 of 2`; empty for the only attempt of the only trial. */
export function trialText({ identity }: Pick<RunResult, 'identity'>): string {
  const { trial, trialCount, attempt, attemptLimit } = identity;
  const parts = [];
  if (trialCount > 1) parts.push(`trial ${trial} of ${trialCount}`);
  if (attemptLimit > 1) parts.push(`attempt ${attempt} of ${attemptLimit}`);
  return parts.join(', ');
}

function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `${beginningOf(text, charsMax)}… (${text.length} characters)`;
}

function isContainer(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}
