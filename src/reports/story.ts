// A story of the failure in up to five lines: the fault, what the agent got, the call that it made then, the rows that this changed, and
// the assertion. Pure over a journal that is read by sequence; the window, the page and the terminal show the same one.
import { defined } from '../contract/defined.js';
import { diffJson, pathText } from '../contract/json-diff.js';
import type { FaultMeaning, RunReport, StoryLine } from '../contract/run/run-events.js';
import type { EvidenceEntry, FaultEntry, OperationEntry, StateChangeEntry } from '../contract/world/evidence.js';
import { counted } from '../text/counted.js';
import { type Cause, causesOf } from './causes.js';
import { actorName, entryText, place } from './entry-text.js';
import { findingsOf } from './findings.js';
import { valueLine, valueWords } from './shown-values.js';
import { tuning } from './tuning.js';
import { assertionWords, timingWords } from './words.js';

/** A journal, or what is known of one, for somebody who looks for what led to an entry. */
export interface StoryJournal {
  /** Of the last entry; 0 for an empty journal. */
  last: number;
  entry(sequence: number): EvidenceEntry | undefined;
  /** Faults and what else went wrong before an entry, the nearest first. */
  problemsBefore(sequence: number): Iterable<EvidenceEntry>;
  /** Calls after an entry, in order. */
  callsAfter(sequence: number): Iterable<OperationEntry>;
}

/** Empty where nothing in the journal leads to what went wrong. */
export function storyOf(report: RunReport, journal: StoryJournal): StoryLine[] {
  const cause = causesOf(report).find(({ kind }) => kind === 'finding' || kind === 'agent');
  if (cause === undefined || report.result.verdict === 'passed') return [];
  const decisive = decisiveEntry(cause, report, journal);
  const problem = problemBefore(decisive, report, journal);
  const got = problem === undefined ? undefined : callOf(problem, journal);
  const call = decisive?.kind === 'operation' ? decisive : undefined;
  const lines = [
    ...(problem?.kind === 'fault' ? [faultLine(problem, report)] : []),
    ...(got === undefined || got === call ? [] : [gotLine(got)]),
    ...callLines(got, call, journal),
    ...(decisive === undefined ? [] : rowLines(decisive, report, journal)),
  ];
  return lines.length === 0 ? [] : [...lines, lastLine(cause)];
}

/** The call, or else the first cause, of the last entry that is cited; of an agent that failed its last call. */
function decisiveEntry(cause: Cause, { result }: RunReport, journal: StoryJournal): EvidenceEntry | undefined {
  if (cause.kind === 'agent') return lastCallOf(cause.interactionId, result, journal);
  const cited = cause.kind === 'finding' ? cause.finding.assertion.evidenceSequences.at(-1) : undefined;
  let entry = cited === undefined ? undefined : journal.entry(cited);
  for (let steps = 0; entry !== undefined && steps < tuning.storyStepsMax; steps++) {
    if (entry.kind === 'operation') return entry;
    const before: number | undefined = causeOf(entry);
    const next: EvidenceEntry | undefined = before === undefined ? undefined : journal.entry(before);
    if (next === undefined) return entry;
    entry = next;
  }
  return entry;
}

function lastCallOf(interactionId: string, { interactions }: RunReport['result'], journal: StoryJournal): OperationEntry | undefined {
  const interaction = interactions.find((one) => one.interactionId === interactionId);
  if (interaction === undefined) return undefined;
  let last: OperationEntry | undefined;
  let seen = 0;
  for (const call of journal.callsAfter(0)) {
    if (++seen > tuning.storyEntriesMax || call.virtualTimeUs > interaction.finishedAtVirtualUs) break;
    if (call.virtualTimeUs >= interaction.startedAtVirtualUs && actorName(call) === actorName(interaction)) last = call;
  }
  return last;
}

/** What an entry says caused it; without that, the entry that its transaction began with. */
export function causeOf(entry: EvidenceEntry): number | undefined {
  return entry.causeSequence ?? (entry.transactionIndex > 0 ? entry.sequence - entry.transactionIndex : undefined);
}

/** The nearest fault before it, or else the nearest call that was refused, of the same actor. */
function problemBefore(decisive: EvidenceEntry | undefined, report: RunReport, journal: StoryJournal): EvidenceEntry | undefined {
  const own = decisive?.kind === 'operation' ? decisive : undefined;
  const isOwn = (call: OperationEntry | undefined): boolean =>
    call !== undefined && (own === undefined || actorName(call) === actorName(own));
  let refused: EvidenceEntry | undefined;
  let seen = 0;
  // What stands in the transaction of the decisive entry itself may have hit it.
  const from = decisive === undefined ? report.result.evidenceRange.toSequence + 1 : decisive.sequence + decisive.transactionSize;
  for (const entry of journal.problemsBefore(Math.min(from, journal.last + 1))) {
    if (++seen > tuning.storyEntriesMax) break;
    if (entry.kind === 'fault' && isOwn(callOf(entry, journal))) return entry;
    if (entry.kind === 'operation' && entry !== own && entry.sequence !== own?.sequence && isOwn(entry)) refused ??= entry;
  }
  return refused;
}

function callOf(entry: EvidenceEntry, journal: StoryJournal): OperationEntry | undefined {
  if (entry.kind === 'operation') return entry;
  const cause = causeOf(entry);
  const found = cause === undefined ? undefined : journal.entry(cause);
  return found?.kind === 'operation' ? found : undefined;
}

/** A fault in the words of its tool. */
export function meaningIn(
  meanings: readonly FaultMeaning[] | undefined,
  of: Pick<FaultMeaning, 'packageId' | 'faultId'>,
): string | undefined {
  return meanings?.find(({ packageId, faultId }) => packageId === of.packageId && faultId === of.faultId)?.description;
}

function faultLine(fault: FaultEntry, { faultMeanings }: RunReport): StoryLine {
  const meaning = meaningIn(faultMeanings, fault);
  const name = `${place(fault)}.${fault.faultId}`;
  const text = meaning === undefined ? `The fault ${name} struck ${timingWords[fault.timing]}` : `${firstSentence(meaning)} (${name})`;
  return { role: 'fault', text, sequence: fault.sequence };
}

export function firstSentence(text: string): string {
  return text.split(/\.(?:\s|$)/)[0] ?? text;
}

function gotLine(call: OperationEntry): StoryLine {
  return { role: 'got', text: `${callText(call)} and got ${answerText(call)}`, sequence: call.sequence };
}

function callLines(got: OperationEntry | undefined, call: OperationEntry | undefined, journal: StoryJournal): StoryLine[] {
  if (got === undefined)
    return call === undefined ? [] : [{ role: 'call', text: `${callText(call)} and got ${answerText(call)}`, sequence: call.sequence }];
  let between = 0;
  for (const next of journal.callsAfter(got.sequence)) {
    if (actorName(next) !== actorName(got)) continue;
    if (call === undefined || next.sequence === call.sequence || between >= tuning.storyEntriesMax) {
      if (call !== undefined && next.sequence !== call.sequence) break;
      const words = between === 0 ? 'Its next call' : `${counted(between, 'call')} later`;
      return [{ role: 'next', text: `${words}: ${callText(next)} and got ${answerText(next)}`, sequence: next.sequence }];
    }
    between++;
  }
  return call === undefined || call.sequence === got.sequence
    ? call === undefined
      ? []
      : [gotLine(call)]
    : [{ role: 'next', text: `Then ${callText(call)} and got ${answerText(call)}`, sequence: call.sequence }];
}

function callText(call: OperationEntry): string {
  const words = valueWords(call.invocation.arguments);
  return `${actorName(call)} called ${place(call.invocation)}.${call.invocation.operationId}${words === '' ? '' : ` with ${words}`}`;
}

function answerText({ outcome, committedOutcome, idempotency }: OperationEntry): string {
  if (outcome.kind === 'ok') return `${valueWords(outcome.value) || 'ok'}${idempotency === 'replayed' ? ', a replay' : ''}`;
  const { code, message } = outcome.error;
  const error = message.toLowerCase() === code.toLowerCase() ? code : `${code}: ${message.replace(/\.$/, '')}`;
  return committedOutcome === undefined ? error : `${error}; it was committed all the same`;
}

/** The change that is cited, and how many others came with it. */
function rowLines(decisive: EvidenceEntry, report: RunReport, journal: StoryJournal): StoryLine[] {
  const cited = new Set(findingsOf(report.result).flatMap(({ assertion }) => assertion.evidenceSequences));
  const changes: StateChangeEntry[] = [];
  const begin = decisive.sequence - decisive.transactionIndex;
  const end = Math.min(begin + Math.min(decisive.transactionSize, tuning.storyEntriesMax), journal.last + 1);
  for (let sequence = begin; sequence < end; sequence++) {
    const entry = journal.entry(sequence);
    if (entry?.kind === 'state_change') changes.push(entry);
  }
  const first = changes.find(({ sequence }) => cited.has(sequence)) ?? changes[0];
  if (first === undefined) return [];
  const more = changes.length > 1 ? ` and ${counted(changes.length - 1, 'more row')}` : '';
  return [{ role: 'rows', text: `That changed ${changeText(first)}${more}`, sequence: first.sequence }];
}

/** `payments/charges/ch_2: amountRefunded 990 → 1980` */
function changeText(change: StateChangeEntry): string {
  if (change.change !== 'update') return entryText(change);
  const row = `${place(change)}/${change.namespace}/${change.rowId}`;
  const members = diffJson(change.before ?? {}, change.after ?? {})
    .changes.slice(0, tuning.storyMembers)
    .map(
      ({ path, before, after }) =>
        `${pathText(path)} ${valueLine(before, tuning.storyValueChars)} → ${valueLine(after, tuning.storyValueChars)}`,
    );
  return `${row}: ${members.join(', ')}`;
}

function lastLine(cause: Cause): StoryLine {
  if (cause.kind === 'agent') return { role: 'agent', text: cause.title };
  if (cause.kind !== 'finding') return { role: 'assertion', text: '' };
  const { assertionId, status, message, evidenceSequences } = cause.finding.assertion;
  const sequence = evidenceSequences.at(-1);
  const text = `${assertionId} ${assertionWords[status]}: ${message.split('\n')[0]}`;
  return { role: 'assertion', text, assertionId, ...defined({ sequence }) };
}
