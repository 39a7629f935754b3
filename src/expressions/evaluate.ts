// Evaluating a CEL expression over a read-only view, within a bound that is counted, not timed: the same view gives the same answer
// anywhere.
//   EVALUATE-1. Nothing outside the view can be named: no host object, no clock, no randomness. Patterns are RE2, linear in the text.
//   EVALUATE-2. Every loop pays for its steps before it runs, and every function for the size of what it reads.
import {
  type CelFunc,
  type CelInput,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  celList,
  isCelError,
  isCelList,
  isCelMap,
  plan,
} from '@bufbuild/cel';
import type { JsonValue } from '../contract/json.js';
import type { ExpressionVariable } from './names.js';
import { Patterns } from './patterns.js';
import type { Expr } from './syntax.js';
import { tuning } from './tuning.js';
import { CelValues } from './values.js';

export type Evaluation =
  | { kind: 'value'; value: boolean }
  | { kind: 'not_boolean'; type: string }
  | { kind: 'error'; message: string }
  | { kind: 'too_much' };

export type View = { [variable in ExpressionVariable]: JsonValue };

export function evaluate(expr: Expr, view: View, stepsMax: number): Evaluation {
  const budget = new Budget(stepsMax);
  const values = new CelValues();
  const env = celEnv({ funcs: meters(budget, values), re2: new Patterns(budget.spend) });
  const bindings = Object.create(null) as { [variable: string]: CelInput };
  for (const [name, value] of Object.entries(view)) bindings[name] = values.of(value) as CelInput;
  const result = plan(env, metered(expr))(bindings);
  // An error that is part of an expression can vanish in it: `error || true`. What was spent stays spent.
  if (budget.isSpent) return { kind: 'too_much' };
  // Of every list the library says that it ends at -1.
  if (isCelError(result)) return { kind: 'error', message: result.message.replace(' [0, -1)', '') };
  return typeof result === 'boolean' ? { kind: 'value', value: result } : { kind: 'not_boolean', type: typeName(result) };
}

class Budget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }
  get isSpent(): boolean {
    return this.#left < 0;
  }
  readonly spend = (steps: number): void => {
    this.#left -= steps;
    if (this.#left < 0) throw new Error('too many steps');
  };
}

/** The functions that `metered` writes into an expression. Their names cannot be written by an author. */
function meters({ spend }: Budget, values: CelValues): CelFunc[] {
  const { DYN, INT } = CelScalar;
  const lists = new WeakMap<object, CelValue[]>();
  return [
    celFunc('@loop', [DYN, INT], DYN, (range, steps) => {
      spend((isCelList(range) || isCelMap(range) ? range.size : 1) * Number(steps));
      return range as CelInput;
    }),
    celFunc('@deep', [DYN], DYN, (value) => {
      spend(values.weigh(value as CelValue, spend));
      return value as CelInput;
    }),
    celFunc('@text', [DYN, INT], DYN, (value, steps) => {
      const isText = typeof value === 'string' || value instanceof Uint8Array;
      spend(Number(steps) + (isText ? values.weigh(value as CelValue, spend) : 0));
      return value as CelInput;
    }),
    // The library adds each element to a list of lists, which takes the square of the time to read.
    celFunc('@list', [], DYN, () => {
      const items: CelValue[] = [];
      const list = celList(items as CelInput[]);
      lists.set(list, items);
      return list;
    }),
    celFunc('@append', [DYN, DYN], DYN, (list, item) => {
      lists.get(list as object)?.push(item as CelValue);
      return list as CelInput;
    }),
  ];
}

const free = new Set(['_?_:_', '_&&_', '_||_', '_[_]', '@not_strictly_false', '!_']);
const deep = new Set(['_==_', '_!=_', '@in']);
/** What costs more than reading its input: reading times, and the parts of one in a time zone. */
const stepsOf = (name: string, args: number): number =>
  name === 'timestamp'
    ? tuning.stepsOfTime
    : name === 'duration'
      ? tuning.stepsOfDuration
      : /^get[A-Z]/.test(name) && args > 0
        ? tuning.stepsOfZonedPart
        : 0;

/** The expression with its meters in it; the given one stays as it is. */
function metered(expr: Expr): Expr {
  const { exprKind: kind } = expr;
  switch (kind.case) {
    case 'selectExpr':
      return kind.value.operand === undefined ? expr : of(expr, kind, { operand: metered(kind.value.operand) });
    case 'listExpr':
      return of(expr, kind, { elements: kind.value.elements.map(metered) });
    case 'structExpr':
      return of(expr, kind, { entries: kind.value.entries.map(meteredEntry) });
    case 'callExpr': {
      const { function: name, target, args } = kind.value;
      if (isAppend(expr)) return call(expr, '@append', [args[0]!, metered(elementOf(args[1]!))]);
      const paid = (argument: Expr): Expr => {
        if (free.has(name)) return metered(argument);
        if (deep.has(name)) return call(argument, '@deep', [metered(argument)]);
        return call(argument, '@text', [metered(argument), integer(argument, stepsOf(name, args.length))]);
      };
      return of(expr, kind, { args: args.map(paid), ...(target === undefined ? {} : { target: paid(target) }) });
    }
    case 'comprehensionExpr': {
      const { accuInit, iterRange, loopCondition, loopStep, result } = kind.value as Required<typeof kind.value>;
      const steps = sizeOf(loopCondition!) + sizeOf(loopStep!);
      return of(expr, kind, {
        accuInit: accuInit!.exprKind.case === 'listExpr' ? call(accuInit!, '@list', []) : accuInit!,
        iterRange: call(iterRange!, '@loop', [metered(iterRange!), integer(iterRange!, steps)]),
        loopCondition: metered(loopCondition!),
        loopStep: metered(loopStep!),
        result: metered(result!),
      });
    }
    default:
      return expr;
  }
}

type StructEntry = Extract<Expr['exprKind'], { case: 'structExpr' }>['value']['entries'][number];

function meteredEntry(entry: StructEntry): StructEntry {
  const { keyKind, value } = entry;
  return {
    ...entry,
    ...(value === undefined ? {} : { value: metered(value) }),
    ...(keyKind.case === 'mapKey' ? { keyKind: { case: 'mapKey', value: metered(keyKind.value) } } : {}),
  };
}

/** `@result + [element]`: what the macros `map` and `filter` do in each step. */
function isAppend({ exprKind: kind }: Expr): boolean {
  if (kind.case !== 'callExpr' || kind.value.function !== '_+_') return false;
  const [accumulator, added] = kind.value.args;
  const isOurs = accumulator?.exprKind.case === 'identExpr' && accumulator.exprKind.value.name.startsWith('@');
  return isOurs && added?.exprKind.case === 'listExpr';
}

function elementOf({ exprKind: kind }: Expr): Expr {
  return (kind as Extract<typeof kind, { case: 'listExpr' }>).value.elements[0]!;
}

/** How many nodes an expression has. */
function sizeOf(expr: Expr): number {
  const { exprKind: kind } = expr;
  const sum = (children: readonly (Expr | undefined)[]): number =>
    children.reduce((size, child) => size + (child === undefined ? 0 : sizeOf(child)), 1);
  switch (kind.case) {
    case 'selectExpr':
      return sum([kind.value.operand]);
    case 'listExpr':
      return sum(kind.value.elements);
    case 'structExpr':
      return sum(kind.value.entries.flatMap(({ keyKind, value }) => [keyKind.case === 'mapKey' ? keyKind.value : undefined, value]));
    case 'callExpr':
      return sum([kind.value.target, ...kind.value.args]);
    case 'comprehensionExpr': {
      const { accuInit, iterRange, loopCondition, loopStep, result } = kind.value;
      return sum([accuInit, iterRange, loopCondition, loopStep, result]);
    }
    default:
      return 1;
  }
}

function of(expr: Expr, { case: name, value }: Expr['exprKind'], changed: object): Expr {
  return { ...expr, exprKind: { case: name, value: { ...(value as object), ...changed } } as Expr['exprKind'] };
}

function call({ id }: Expr, name: string, args: readonly Expr[]): Expr {
  return { id, exprKind: { case: 'callExpr', value: { function: name, args } } } as unknown as Expr;
}

function integer({ id }: Expr, value: number): Expr {
  return { id, exprKind: { case: 'constExpr', value: { constantKind: { case: 'int64Value', value: BigInt(value) } } } } as unknown as Expr;
}

function typeName(value: CelValue): string {
  if (value === null) return 'null';
  if (isCelList(value)) return 'a list';
  if (isCelMap(value)) return 'a map';
  return typeof value === 'bigint' || typeof value === 'number' ? 'a number' : typeof value === 'string' ? 'a string' : 'no boolean';
}
