// What a journal is narrowed to, as the address has it and as the server is asked. Pure.
import type { SearchQuery } from '../contract/inspector/journal.js';
import type { EvidenceKind, OutcomeKind } from '../contract/world/evidence.js';
import type { ScenarioActor } from '../contract/world/scenario.js';
import { kindNames } from '../reports/words.js';

export interface JournalFilter {
  text: string;
  kinds: readonly EvidenceKind[];
  /** An actor's id; '' is every one. */
  actor: string;
  /** `payments.refund.create`; '' is every one. */
  operation: string;
  outcome: OutcomeKind | '';
  problems: boolean;
  /** Absent: the whole journal. */
  range?: SequenceRange | undefined;
}

/** Entries next to each other; both ends belong to it. */
export interface SequenceRange {
  from: number;
  to: number;
}

export const kindOrder = Object.keys(kindNames) as EvidenceKind[];
export const outcomes: readonly OutcomeKind[] = ['ok', 'denied', 'tool_error', 'unsupported', 'invalid'];

/** The members of an address that are a filter. */
export type FilterQuery = { [Name in 'q' | 'kind' | 'actor' | 'op' | 'outcome' | 'problems' | 'range']: string | undefined };

/** What the address does not know is left out: an old link still shows its run. */
export function filterOfQuery(query: { [name: string]: string }): JournalFilter {
  const kinds = (query.kind ?? '').split(',');
  return {
    text: query.q ?? '',
    kinds: kindOrder.filter((kind) => kinds.includes(kind)),
    actor: query.actor ?? '',
    operation: query.op ?? '',
    outcome: outcomes.find((one) => one === query.outcome) ?? '',
    problems: query.problems !== undefined,
    range: rangeOfText(query.range),
  };
}

/** `22-30` */
function rangeOfText(text: string | undefined): SequenceRange | undefined {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? [];
  const range = { from: Number(from), to: Number(to) };
  return range.from >= 1 && range.to >= range.from ? range : undefined;
}
function rangeText({ from, to }: SequenceRange): string {
  return `${from}-${to}`;
}

export function queryOfFilter({ text, kinds, actor, operation, outcome, problems, range }: JournalFilter): FilterQuery {
  const given = (value: string): string | undefined => (value === '' ? undefined : value);
  return {
    q: given(text),
    kind: given(kinds.join(',')),
    actor: given(actor),
    op: given(operation),
    outcome: given(outcome),
    problems: problems ? 'only' : undefined,
    range: range === undefined ? undefined : rangeText(range),
  };
}

/** Undefined: everything. */
export function searchOfFilter({ text, kinds, actor, operation, outcome, problems, range }: JournalFilter): SearchQuery | undefined {
  // The operation of an instance has the name of its package here.
  const dot = operation.indexOf('.');
  const query: SearchQuery = {
    ...(text.trim() === '' ? {} : { q: text.trim() }),
    ...(kinds.length === 0 ? {} : { kind: kinds.join(',') }),
    ...(actor === '' ? {} : { actorId: actor }),
    ...(dot < 1 ? {} : { packageId: operation.slice(0, dot), operationId: operation.slice(dot + 1) }),
    ...(outcome === '' ? {} : { outcome }),
    ...(problems ? { problems: 'only' } : {}),
    ...(range === undefined ? {} : { fromSequence: range.from, toSequence: range.to }),
  };
  return Object.keys(query).length === 0 ? undefined : query;
}

/** Whom and what there is to choose from. */
export interface FilterChoices {
  actors: readonly string[];
  operations: readonly string[];
}

export function choicesOf(actors: readonly ScenarioActor[]): FilterChoices {
  const operations = actors.flatMap(({ grants }) => grants.map(({ packageId, operationId }) => `${packageId}.${operationId}`));
  return { actors: [...new Set(actors.map(({ id }) => id))], operations: [...new Set(operations)].sort() };
}
