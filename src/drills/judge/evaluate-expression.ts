// One expression over what it is shown. Pure and counted: the same view gives the same answer wherever it is asked, here or in a worker.
import { limits } from '../../contract/limits.js';
import type { Evaluation, View } from '../../expressions/evaluate.js';

export type ExpressionFinding = Evaluation | { kind: 'fault'; message: string } | { kind: 'too_many_values' };

/** What judges expressions: this thread, or a worker of a service that has others to answer meanwhile. */
export type ExpressionJudge = (expression: string, view: ShownView) => Promise<ExpressionFinding>;

/** A view, as values and as JSON text. */
export interface ShownView {
  readonly values: View;
  text(): string;
}

export async function evaluateExpression(expression: string, view: View): Promise<ExpressionFinding> {
  // Loaded when the first expression is judged: most drills have none, and commands shall start fast.
  const [{ parseExpression }, { countValues }, { evaluate }] = await Promise.all([
    import('../../expressions/syntax.js'),
    import('../../expressions/values.js'),
    import('../../expressions/evaluate.js'),
  ]);
  const parsed = parseExpression(expression);
  if ('fault' in parsed) return { kind: 'fault', message: parsed.fault };
  if (countValues(view, limits.exprNodesMax) > limits.exprNodesMax) return { kind: 'too_many_values' };
  return evaluate(parsed.expr, view, limits.exprStepsMax);
}
