// What is known of the variables of an expression. The judge shows them: src/drills/judge/run-facts.ts.
//   EXPRESSION-VARIABLES-1. A call or event is known by what a condition says of its ids; without one it may be any that packages declare.
//   EXPRESSION-VARIABLES-2. Calls that were denied or invalid may have any arguments, and an overridden operation may return anything:
//     there nothing is certain.
import type { ExprAssertion } from '../contract/run/assertion.js';
import type { Timeline } from '../contract/run/drill.js';
import type { ToolOverride } from '../contract/world/scenario.js';
import type { ExpressionVariable } from '../expressions/names.js';
import type { Known } from './expression-names.js';
import { hasInteraction, interactionExamples } from './interaction-ids.js';
import type { DescribedMember, DescribedPart, ToolCatalog } from './tool-catalog.js';

interface Subject {
  catalog: ToolCatalog;
  timeline: Timeline;
  /** Of every scope of the setup. */
  overrides: readonly ToolOverride[];
}
/** What conditions say of the texts of a call or an event, by path. */
type Narrowed = { readonly [path: string]: readonly string[] };

export function expressionKnowledge(
  { state }: ExprAssertion,
  { catalog, timeline, overrides }: Subject,
): ReadonlyMap<ExpressionVariable, Known | undefined> {
  const entries = new EntryKnowledge(catalog, overrides);
  const rows = Object.entries(state).map(([name, { packageId, namespace }]): [string, Known | undefined] => {
    const schema = catalog.schemaOf('namespaces', { packageId, id: namespace });
    return [name, schema === undefined ? undefined : { kind: 'rows', what: `a row of ${packageId}/${namespace}`, schema }];
  });
  const interactions = Object.fromEntries(interactionExamples(timeline).map((id) => [id, undefined]));
  return new Map<ExpressionVariable, Known | undefined>([
    ['operations', { kind: 'list', of: entries.call({}) }],
    ['events', { kind: 'list', of: entries.event({}) }],
    ['state', { kind: 'members', what: 'state', members: Object.fromEntries(rows) }],
    ['outputs', { kind: 'members', what: 'outputs', members: interactions, has: (id) => hasInteraction(timeline, id) }],
    ['clock', { kind: 'members', what: 'clock', members: { nowUs: undefined, startUs: undefined } }],
  ]);
}

const place = { sequence: undefined, virtualTimeUs: undefined, instanceId: undefined };
const error: Known = {
  kind: 'members',
  what: 'the error of an outcome',
  members: { code: undefined, message: undefined, retryable: undefined, details: undefined },
};
const outcomeKinds = ['ok', 'denied', 'tool_error', 'unsupported', 'invalid'];
const phases = ['emitted', 'scheduled', 'handled', 'failed', 'cancelled'];

class EntryKnowledge {
  readonly #catalog: ToolCatalog;
  readonly #overridden: ReadonlySet<string>;

  constructor(catalog: ToolCatalog, overrides: readonly ToolOverride[]) {
    this.#catalog = catalog;
    const returning = overrides.filter(({ outcome }) => outcome.kind === 'return');
    this.#overridden = new Set(returning.map(({ operation: { packageId, operationId } }) => `${packageId} ${operationId}`));
  }

  call(narrowed: Narrowed): Known {
    const { packageId: packages, operationId: ids, 'outcome.kind': kinds = [] } = narrowed;
    const wasRefused = kinds.includes('denied') || kinds.includes('invalid');
    const value = this.#described('outputs', { packages, ids }, ['the output of', 'a call'], ({ packageId, id }) =>
      this.#overridden.has(`${packageId} ${id}`),
    );
    const outcome: Known = {
      kind: 'members',
      what: 'the outcome of a call',
      members: { kind: word('the kind of an outcome', outcomeKinds), value, error, committed: undefined },
    };
    return this.#entry(narrowed, (next) => this.call(next), {
      what: 'a call',
      members: {
        ...{ actorId: undefined, idempotency: undefined, idempotencyKey: undefined },
        operationId: word('the operationId of a call', this.#catalog.ids('operations')),
        arguments: this.#described('operations', { packages, ids }, ['the input of', 'a call'], () => wasRefused),
        ...{ outcome, committedOutcome: outcome },
      },
    });
  }

  event(narrowed: Narrowed): Known {
    const { packageId: packages, eventId: ids } = narrowed;
    return this.#entry(narrowed, (next) => this.event(next), {
      what: 'an event',
      members: {
        eventId: word('the eventId of an event', this.#catalog.ids('events')),
        phase: word('the phase of an event', phases),
        payload: this.#described('events', { packages, ids }, ['the payload of', 'an event'], () => false),
      },
    });
  }

  #entry(
    narrowed: Narrowed,
    make: (narrowed: Narrowed) => Known,
    { what, members }: { what: string; members: { readonly [name: string]: Known | undefined } },
  ): Known {
    const packageId = word('the packageId of an entry', this.#catalog.packageIds());
    return {
      kind: 'members',
      what,
      members: { ...place, packageId, ...members },
      narrow: (path, words) => make({ ...narrowed, [path]: narrowed[path]?.filter((one) => words.includes(one)) ?? words }),
    };
  }

  /** What the values of those parts are that the entry can be of. */
  #described(
    part: DescribedMember,
    { packages, ids }: { packages: readonly string[] | undefined; ids: readonly string[] | undefined },
    [what, anyEntry]: readonly [string, string],
    isLoose: (part: DescribedPart) => boolean,
  ): Known | undefined {
    const parts = this.#catalog
      .describedParts(part)
      ?.filter(({ packageId, id }) => (packages?.includes(packageId) ?? true) && (ids?.includes(id) ?? true));
    const [first] = parts ?? [];
    if (parts === undefined || first === undefined) return undefined;
    return {
      kind: 'value',
      what: `${what} ${parts.length === 1 ? `${first.packageId}/${first.id}` : anyEntry}`,
      choices: parts.map(({ schema }) => ({ root: schema, schemas: [schema] })),
      isLoose: parts.some(isLoose),
    };
  }
}

function word(what: string, words: readonly string[] | undefined): Known | undefined {
  return words && { kind: 'word', what, words };
}
