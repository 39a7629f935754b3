// The CEL expressions of assertions: each parses, and names only what a judge will show it and what can be there.
import type { Assertion, ExprAssertion } from '../contract/run/assertion.js';
import type { Drill } from '../contract/run/drill.js';
import { expressionVariables } from '../expressions/names.js';
import type { Diagnostics } from './diagnostics.js';
import { didYouMean } from './did-you-mean.js';
import { expressionFaults, type Known } from './expression-names.js';
import type { LocatedValue } from './project-documents.js';
import type { SourceDocument } from './source-document.js';
import type { ToolCatalog } from './tool-catalog.js';

interface ExpressionUse {
  assertion: ExprAssertion;
  document: SourceDocument;
  path: string;
}

export async function checkExpressions(
  diagnostics: Diagnostics,
  { drills, catalog }: { drills: readonly LocatedValue<Drill>[]; catalog: ToolCatalog },
): Promise<void> {
  const found = drills.flatMap(({ item: { assertions, timeline }, document }) => [
    ...expressionsOf(assertions, { document, path: '/assertions' }),
    ...expressionsOf(timeline.invariants, { document, path: '/timeline/invariants' }),
  ]);
  if (found.length === 0) return;
  // Its parser takes a tenth of a second to load, and most repositories have no expression.
  const { parseExpression, unknownName } = await import('../expressions/syntax.js');
  for (const { assertion, document, path } of found) {
    const place = document.place(`${path}/expression`);
    const parsed = parseExpression(assertion.expression);
    if ('fault' in parsed) {
      diagnostics.report('DY2005', place, `the expression does not parse: ${parsed.fault}`);
      continue;
    }
    const unknown = unknownName(parsed.expr, { variables: expressionVariables, members: { state: Object.keys(assertion.state) } });
    if (unknown !== undefined) {
      diagnostics.report('DY3016', place, `there is no ${unknown.what} '${unknown.name}' in expressions`, {
        suggestion: didYouMean(unknown.name, unknown.known),
      });
      continue;
    }
    for (const { kind, what, name, known, ...fault } of expressionFaults(parsed.expr, variablesOf(assertion, catalog))) {
      const advice = { suggestion: didYouMean(name, known) };
      if (kind === 'word') diagnostics.report('DY4007', place, `${what} is never '${name}'`, advice);
      else if ('isCertain' in fault && !fault.isCertain)
        diagnostics.report('DY3021', place, `the schema of ${what} does not declare '${name}', and allows it`, advice);
      else diagnostics.report('DY3020', place, `${what} has no '${name}'`, advice);
    }
  }
}

const outcome: Known = {
  kind: 'members',
  what: 'the outcome of a call',
  members: {
    kind: { kind: 'word', what: 'the kind of an outcome', words: ['ok', 'denied', 'tool_error', 'unsupported', 'invalid'] },
    value: undefined,
    error: undefined,
  },
};
const place = { sequence: undefined, virtualTimeUs: undefined, instanceId: undefined };

/** What a judge shows: src/drills/judge/run-facts.ts. */
function variablesOf({ state }: ExprAssertion, catalog: ToolCatalog): ReadonlyMap<string, Known | undefined> {
  const word = (what: string, words: readonly string[] | undefined): Known | undefined => words && { kind: 'word', what, words };
  const packageId = word('the packageId of an entry', catalog.packageIds());
  const call: Known = {
    kind: 'members',
    what: 'a call',
    members: {
      ...{ ...place, packageId, actorId: undefined, arguments: undefined, idempotency: undefined, idempotencyKey: undefined },
      ...{ operationId: word('the operationId of a call', catalog.ids('operations')), outcome, committedOutcome: outcome },
    },
  };
  const event: Known = {
    kind: 'members',
    what: 'an event',
    members: {
      ...{ ...place, packageId, payload: undefined },
      eventId: word('the eventId of an event', catalog.ids('events')),
      phase: word('the phase of an event', ['emitted', 'scheduled', 'handled', 'failed', 'cancelled']),
    },
  };
  const rows = Object.entries(state).map(([name, { packageId, namespace }]): [string, Known | undefined] => {
    const schema = catalog.schemaOf('namespaces', { packageId, id: namespace });
    return [name, schema === undefined ? undefined : { kind: 'rows', what: `a row of ${packageId}/${namespace}`, schema }];
  });
  return new Map<string, Known | undefined>([
    ['operations', { kind: 'list', of: call }],
    ['events', { kind: 'list', of: event }],
    ['state', { kind: 'members', what: 'state', members: Object.fromEntries(rows) }],
    ['clock', { kind: 'members', what: 'clock', members: { nowUs: undefined, startUs: undefined } }],
  ]);
}

function expressionsOf(assertions: readonly Assertion[], { document, path }: Omit<ExpressionUse, 'assertion'>): ExpressionUse[] {
  return assertions.flatMap((assertion, index) => (assertion.kind === 'expr' ? [{ assertion, document, path: `${path}/${index}` }] : []));
}
