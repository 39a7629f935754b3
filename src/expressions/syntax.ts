// A CEL expression as text: whether it parses, and whether every name in it is one that will be there. Nothing is evaluated.
import { celEnv, parse } from '@bufbuild/cel';

/** A node of the syntax tree. */
export type Expr = ReturnType<typeof parse>['expr'];

/** What an expression may name. */
export interface Names {
  variables: readonly string[];
  /** The members that one of the variables has. */
  members: { readonly [variable: string]: readonly string[] };
}
export type ParseResult = { expr: Expr } | { fault: string };

export function parseExpression(text: string): ParseResult {
  try {
    return { expr: parse(text).expr };
  } catch (error) {
    // `<input>:1:3: found + but expecting end of input`
    const place = /^<input>:(\d+):(\d+): (.*)$/s.exec((error as Error).message);
    return { fault: place === null ? (error as Error).message : `line ${place[1]}, column ${Number(place[2]) + 1}: ${place[3]}` };
  }
}

const functions = celEnv().funcs;
/** Handled by the evaluator itself, not as functions. */
const operators = new Set(['_?_:_', '_&&_', '_||_', '_[_]', '@not_strictly_false']);
const typeNames = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type'];

/** The names in scope, with their members where those are declared. */
type Known = ReadonlyMap<string, readonly string[] | undefined>;

/** What is wrong with the names in an expression; the first of them, or undefined. */
export function unknownName(
  expr: Expr,
  { variables, members }: Names,
): { what: string; name: string; known: readonly string[] } | undefined {
  const visit = (node: Expr | undefined, known: Known): ReturnType<typeof unknownName> => {
    const kind = node?.exprKind;
    switch (kind?.case) {
      case 'identExpr':
        return known.has(kind.value.name) ? undefined : { what: 'variable', name: kind.value.name, known: variables };
      case 'selectExpr': {
        const { operand, field } = kind.value;
        const owner = operand?.exprKind.case === 'identExpr' ? operand.exprKind.value.name : '';
        const has = known.get(owner);
        if (has !== undefined && !has.includes(field)) return { what: `member of ${owner}`, name: field, known: has };
        return visit(operand, known);
      }
      case 'callExpr': {
        const { function: name, target, args } = kind.value;
        const isKnown = operators.has(name) || functions.find(name) !== undefined;
        if (!isKnown) return { what: 'function', name, known: [] };
        return first([...(target === undefined ? [] : [target]), ...args], (child) => visit(child, known));
      }
      case 'comprehensionExpr': {
        const { iterRange, accuInit, iterVar, accuVar, loopCondition, loopStep, result } = kind.value;
        const inside: Known = new Map([...known, [iterVar, undefined], [accuVar, undefined]]);
        return (
          visit(iterRange, known) ?? visit(accuInit, known) ?? first([loopCondition, loopStep, result], (child) => visit(child, inside))
        );
      }
      case 'listExpr':
        return first(kind.value.elements, (child) => visit(child, known));
      case 'structExpr':
        if (kind.value.messageName !== '') return { what: 'message type', name: kind.value.messageName, known: [] };
        return first(
          kind.value.entries,
          ({ keyKind, value }) => (keyKind.case === 'mapKey' ? visit(keyKind.value, known) : undefined) ?? visit(value, known),
        );
      default:
        return undefined;
    }
  };
  const typed = typeNames.map((name) => [name, undefined] as const);
  return visit(expr, new Map([...typed, ...variables.map((name) => [name, members[name]] as const)]));
}

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
