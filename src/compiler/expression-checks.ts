// The CEL expressions of assertions: each parses, and names only what a judge will show it and what can be there.
import type { Assertion, ExprAssertion } from '../contract/run/assertion.js';
import type { Drill } from '../contract/run/drill.js';
import type { WorldSetup } from '../contract/world/scenario.js';
import { expressionVariables } from '../expressions/names.js';
import type { DiagnosticCode } from './diagnostic-table.js';
import type { Advice, Diagnostics } from './diagnostics.js';
import { didYouMean } from './did-you-mean.js';
import { expressionFaults } from './expression-names.js';
import { expressionKnowledge } from './expression-variables.js';
import type { LocatedValue } from './project-documents.js';
import type { SoundValues } from './sound-values.js';
import type { SourceDocument } from './source-document.js';
import type { ToolCatalog } from './tool-catalog.js';

interface ExpressionUse {
  assertion: ExprAssertion;
  drill: Drill;
  document: SourceDocument;
  path: string;
}

export async function checkExpressions(
  { diagnostics, catalog, sound }: { diagnostics: Diagnostics; catalog: ToolCatalog; sound: SoundValues },
  { drills, setups }: { drills: readonly LocatedValue<Drill>[]; setups: ReadonlyMap<Drill, WorldSetup> },
): Promise<void> {
  const found = drills.flatMap(({ item: drill, document }) => [
    ...expressionsOf(drill.assertions, { drill, document, path: '/assertions' }),
    ...expressionsOf(drill.timeline.invariants, { drill, document, path: '/timeline/invariants' }),
  ]);
  if (found.length === 0) return;
  const overridesOf = (drill: Drill) => (setups.get(drill)?.toolOverrides ?? []).flatMap(({ rules }) => rules);
  const all = found.map(({ assertion, drill }) => [assertion, drill.timeline, overridesOf(drill)]);
  const answer = sound.of('expressions', all);
  if (answer.isKnown) return;
  let faults = 0;
  // Its parser takes a tenth of a second to load, and most repositories have no expression.
  const { parseExpression, unknownName } = await import('../expressions/syntax.js');
  for (const { assertion, drill, document, path } of found) {
    const report = (code: DiagnosticCode, message: string, advice?: Advice): void => {
      faults += 1;
      diagnostics.report(code, document.place(`${path}/expression`), message, advice);
    };
    const parsed = parseExpression(assertion.expression);
    if ('fault' in parsed) {
      report('DY2005', `the expression does not parse: ${parsed.fault}`);
      continue;
    }
    const unknown = unknownName(parsed.expr, { variables: expressionVariables, members: { state: Object.keys(assertion.state) } });
    if (unknown !== undefined) {
      report('DY3016', `there is no ${unknown.what} '${unknown.name}' in expressions`, {
        suggestion: didYouMean(unknown.name, unknown.known),
      });
      continue;
    }
    const knowledge = expressionKnowledge(assertion, { catalog, timeline: drill.timeline, overrides: overridesOf(drill) });
    for (const { kind, what, name, known, ...fault } of expressionFaults(parsed.expr, knowledge)) {
      const advice = { suggestion: didYouMean(name, known) };
      if (kind === 'word') report('DY4007', `${what} is never '${name}'`, advice);
      else if ('isCertain' in fault && !fault.isCertain)
        report('DY3021', `the schema of ${what} does not declare '${name}', and allows it`, advice);
      else report('DY3020', `${what} has no '${name}'`, advice);
    }
  }
  if (faults === 0) answer.keep();
}

function expressionsOf(assertions: readonly Assertion[], { path, ...at }: Omit<ExpressionUse, 'assertion'>): ExpressionUse[] {
  return assertions.flatMap((assertion, index) => (assertion.kind === 'expr' ? [{ assertion, ...at, path: `${path}/${index}` }] : []));
}
