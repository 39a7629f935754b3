// What holds of a variable where a condition is true, or where it is false: `o.operationId == 'ticket.assign'` says which call `o`
// is, so that its arguments are known.
import type { Expr } from '../expressions/syntax.js';

/** The text at `path` of the variable is one of the words; `isNot`: none of them. */
export interface WordCondition {
  variable: string;
  /** Names with dots between. */
  path: string;
  words: readonly string[];
  isNot: boolean;
}

/** Nothing where the condition says nothing that is known for certain. */
export function conditionsOf(node: Expr | undefined, holds: boolean): WordCondition[] {
  const kind = node?.exprKind;
  if (kind?.case !== 'callExpr') return [];
  const { function: name, args } = kind.value;
  const [left, right] = args;
  switch (name) {
    case '!_':
      return conditionsOf(left, !holds);
    case '_&&_':
    case '_||_': {
      const both = [conditionsOf(left, holds), conditionsOf(right, holds)] as const;
      return (name === '_&&_') === holds ? both.flat() : either(...both);
    }
    case '_==_':
    case '_!=_': {
      const isNot = (name === '_!=_') === holds;
      return [...comparison(left, right, isNot), ...comparison(right, left, isNot)];
    }
    case '@in':
      return comparison(left, right, !holds);
    default:
      return [];
  }
}

/** One of two holds: what both say of one text. */
function either(left: readonly WordCondition[], right: readonly WordCondition[]): WordCondition[] {
  return left.flatMap((one) =>
    right
      .filter((other) => one.variable === other.variable && one.path === other.path && !one.isNot && !other.isNot)
      .map((other) => ({ ...one, words: [...one.words, ...other.words] })),
  );
}

function comparison(side: Expr | undefined, value: Expr | undefined, isNot: boolean): WordCondition[] {
  const named = memberOf(side);
  const words = textsOf(value);
  return named === undefined || words === undefined ? [] : [{ ...named, words, isNot }];
}

/** A variable and the members after it. */
function memberOf(node: Expr | undefined): { variable: string; path: string } | undefined {
  const names: string[] = [];
  let at = node;
  while (at?.exprKind.case === 'selectExpr' && !at.exprKind.value.testOnly) {
    names.unshift(at.exprKind.value.field);
    at = at.exprKind.value.operand;
  }
  if (at?.exprKind.case !== 'identExpr' || names.length === 0) return undefined;
  return { variable: at.exprKind.value.name, path: names.join('.') };
}

/** A text, or a list of texts alone. */
function textsOf(node: Expr | undefined): string[] | undefined {
  const kind = node?.exprKind;
  if (kind?.case !== 'listExpr') {
    const text = literalText(node);
    return text === undefined ? undefined : [text];
  }
  const texts = kind.value.elements.map(literalText);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

export function literalText(node: Expr | undefined): string | undefined {
  const kind = node?.exprKind;
  const constant = kind?.case === 'constExpr' ? kind.value.constantKind : undefined;
  return constant?.case === 'stringValue' ? constant.value : undefined;
}
