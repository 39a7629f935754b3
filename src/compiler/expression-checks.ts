// The CEL expressions of assertions: each parses, and names only what a judge will show it.
import type { Assertion, ExprAssertion } from '../contract/assertion.js';
import type { Drill } from '../contract/drill.js';
import { expressionVariables } from '../expressions/names.js';
import type { Diagnostics } from './diagnostics.js';
import { didYouMean } from './did-you-mean.js';
import type { Located } from './project-documents.js';
import type { SourceDocument } from './source-document.js';

interface Found {
  assertion: ExprAssertion;
  document: SourceDocument;
  path: string;
}

export async function checkExpressions(diagnostics: Diagnostics, drills: readonly Located<Drill>[]): Promise<void> {
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
    if (unknown === undefined) continue;
    diagnostics.report('DY3016', place, `there is no ${unknown.what} '${unknown.name}' in expressions`, {
      suggestion: didYouMean(unknown.name, unknown.known),
    });
  }
}

function expressionsOf(assertions: readonly Assertion[], { document, path }: Omit<Found, 'assertion'>): Found[] {
  return assertions.flatMap((assertion, index) => (assertion.kind === 'expr' ? [{ assertion, document, path: `${path}/${index}` }] : []));
}
