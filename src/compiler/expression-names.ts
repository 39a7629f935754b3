// Names inside of an expression, as far as it is known what stands before the dot: members of calls and events, of arguments, payloads,
// outputs and rows by their schemas, and the ids that these are compared with. `!has(row.asigneeId)` and
// `operationId == 'ticket.asign'` would hold whatever happens.
//   EXPRESSION-NAMES-1. What is known of a value is known of every value there: of anything else nothing is said.
//   EXPRESSION-NAMES-2. Where a condition decides whether a part counts, the part is looked at as if the condition held.
import type { JsonSchema } from '../contract/world/tool-manifest.js';
import type { Expr } from '../expressions/syntax.js';
import { conditionsOf, literalText, type WordCondition } from './expression-conditions.js';
import { schemaMember } from './schema-members.js';

/** What is known of a part of an expression; undefined: nothing. */
export type Known =
  | KnownMembers
  | { kind: 'list'; of: Known }
  /** The rows of a namespace, by id; its values have the schema. */
  | { kind: 'rows'; what: string; schema: JsonSchema }
  | KnownValue
  /** A text that is one of these. */
  | { kind: 'word'; what: string; words: readonly string[] };
interface KnownMembers {
  kind: 'members';
  what: string;
  members: { readonly [name: string]: Known | undefined };
  /** Members that are not listed. */
  has?: (name: string) => boolean;
  /** The same where the text at the path is one of these. */
  narrow?: (path: string, words: readonly string[]) => Known;
}
/** A JSON value that one of the choices describes; in each one of the schemas does. */
interface KnownValue {
  kind: 'value';
  what: string;
  choices: readonly Choice[];
  /** It may be another value all the same. */
  isLoose: boolean;
}
interface Choice {
  root: JsonSchema;
  schemas: readonly JsonSchema[];
}

export type NameFault =
  /** `isCertain`: there is no such member; otherwise an open schema does not declare it. */
  | { kind: 'member'; what: string; name: string; known: readonly string[]; isCertain: boolean }
  | { kind: 'word'; what: string; name: string; known: readonly string[] };

type Scope = ReadonlyMap<string, Known | undefined>;

export function expressionFaults(expr: Expr, variables: Scope): NameFault[] {
  const walk = new Walk();
  walk.visit(expr, variables);
  return walk.faults;
}

class Walk {
  readonly faults: NameFault[] = [];

  visit(node: Expr | undefined, scope: Scope): Known | undefined {
    const kind = node?.exprKind;
    switch (kind?.case) {
      case 'identExpr':
        return scope.get(kind.value.name);
      case 'selectExpr':
        return this.#member(this.visit(kind.value.operand, scope), kind.value.field);
      case 'callExpr':
        return this.#call(kind.value, scope);
      case 'comprehensionExpr':
        return this.#fold(kind.value, scope);
      case 'listExpr': {
        const [first, ...others] = kind.value.elements.map((element) => this.visit(element, scope));
        return first === undefined || others.length > 0 ? undefined : { kind: 'list', of: first };
      }
      case 'structExpr':
        for (const { keyKind, value } of kind.value.entries) {
          if (keyKind.case === 'mapKey') this.visit(keyKind.value, scope);
          this.visit(value, scope);
        }
        return undefined;
      default:
        return undefined;
    }
  }

  #call({ function: name, target, args }: CallExpr, scope: Scope): Known | undefined {
    if (target !== undefined) this.visit(target, scope);
    const [left, right, other] = args;
    if (name === '_?_:_') {
      this.visit(left, scope);
      const chosen = [this.visit(right, where(scope, left, true)), this.visit(other, where(scope, left, false))];
      // A list that grows in a fold, or stays as it is.
      return isAccumulator(other) ? chosen[0] : undefined;
    }
    if (name === '_&&_' || name === '_||_') {
      this.visit(left, where(scope, right, name === '_&&_'));
      this.visit(right, where(scope, left, name === '_&&_'));
      return undefined;
    }
    const known = args.map((argument) => this.visit(argument, scope));
    if (name === '_[_]') return this.#item(known[0], right);
    if (name === '_+_' && isAccumulator(left)) return known[1];
    if (name === '_==_' || name === '_!=_') this.#compare(args, known);
    if (name === '@in') this.#in(args, known);
    return undefined;
  }

  /** A macro: `all`, `exists`, `filter`, `map`. The last two make a list of what each step adds. */
  #fold({ iterRange, accuInit, iterVar, accuVar, loopCondition, loopStep, result }: FoldExpr, scope: Scope): Known | undefined {
    const range = this.visit(iterRange, scope);
    this.visit(accuInit, scope);
    // Of a map the keys are gone through.
    const inside = new Map([...scope, [iterVar, itemOf(range)], [accuVar, undefined]]);
    this.visit(loopCondition, inside);
    const step = this.visit(loopStep, inside);
    this.visit(result, inside);
    return accuInit?.exprKind.case === 'listExpr' && isAccumulator(result) ? step : undefined;
  }

  #in([left, right]: readonly Expr[], [owned, owner]: readonly (Known | undefined)[]): void {
    const name = literalText(left);
    // What is on the right is a list of values, or a map of which a key is meant.
    if (right?.exprKind.case === 'listExpr') this.#compare([left!, right], [owned, undefined]);
    else if (name !== undefined && (owner?.kind === 'members' || isMap(owner))) this.#member(owner, name);
    else if (name !== undefined) this.#compare([left!, right!], [undefined, itemOf(owner)]);
  }

  #member(owner: Known | undefined, name: string | number): Known | undefined {
    if (owner?.kind === 'rows')
      return { kind: 'value', what: owner.what, choices: [{ root: owner.schema, schemas: [owner.schema] }], isLoose: false };
    if (owner?.kind === 'members') {
      if (Object.hasOwn(owner.members, name)) return owner.members[name];
      if (owner.has?.(String(name))) return undefined;
      const known = Object.keys(owner.members);
      this.faults.push({ kind: 'member', what: owner.what, name: String(name), known, isCertain: true });
    }
    if (owner?.kind !== 'value') return undefined;
    const { choices, what } = owner;
    const looks = choices.map(({ root, schemas }) => schemaMember(root, schemas, name));
    const declared = looks.flatMap((look, index): Choice[] => {
      if (look.kind === 'impossible') return [];
      return [look.kind === 'declared' ? { root: choices[index]!.root, schemas: look.schemas } : { root: true, schemas: [true] }];
    });
    if (looks.some(({ kind }) => kind === 'declared')) return { ...owner, choices: declared };
    const known = [...new Set(looks.flatMap((look) => (look.kind === 'declared' ? [] : look.names)))];
    // A schema that declares nothing says nothing.
    if (looks.some((look) => look.kind === 'undeclared' && look.names.length === 0)) return undefined;
    const isCertain = !owner.isLoose && declared.length === 0;
    if (isCertain || known.length > 0) this.faults.push({ kind: 'member', what, name: String(name), known, isCertain });
    return undefined;
  }

  #item(owner: Known | undefined, key: Expr | undefined): Known | undefined {
    const text = literalText(key);
    if (text !== undefined) return this.#member(owner, text);
    // A row is a row under any key; a value may be a list or a map.
    return owner?.kind === 'rows' ? this.#member(owner, '') : itemOf(owner);
  }

  #compare(sides: readonly Expr[], known: readonly (Known | undefined)[]): void {
    for (const [index, side] of sides.entries()) {
      const other = known[1 - index];
      const kind = side?.exprKind;
      const texts = (kind?.case === 'listExpr' ? kind.value.elements : [side]).flatMap((element) => literalText(element) ?? []);
      const allowed = other === undefined ? undefined : wordsOf(other);
      if (other === undefined || other.kind === 'list' || allowed === undefined) continue;
      for (const name of texts) {
        if (!allowed.includes(name)) this.faults.push({ kind: 'word', what: other.what, name, known: allowed });
      }
    }
  }
}

type CallExpr = Extract<Expr['exprKind'], { case: 'callExpr' }>['value'];
type FoldExpr = Extract<Expr['exprKind'], { case: 'comprehensionExpr' }>['value'];

/** The variables where a condition holds, or where it does not. */
function where(scope: Scope, condition: Expr | undefined, holds: boolean): Scope {
  return conditionsOf(condition, holds).reduce(narrowed, scope);
}

function narrowed(scope: Scope, { variable, path, words, isNot }: WordCondition): Scope {
  const known = scope.get(variable);
  if (known?.kind !== 'members' || known.narrow === undefined) return scope;
  if (!isNot) return new Map([...scope, [variable, known.narrow(path, words)]]);
  let member: Known | undefined = known;
  for (const name of path.split('.')) member = member?.kind === 'members' ? member.members[name] : undefined;
  if (member?.kind !== 'word') return scope;
  const others = member.words.filter((one) => !words.includes(one));
  return new Map([...scope, [variable, known.narrow(path, others)]]);
}

/** Of the macros; an author cannot write its name. */
function isAccumulator(node: Expr | undefined): boolean {
  return node?.exprKind.case === 'identExpr' && node.exprKind.value.name.startsWith('@');
}

/** An object equals no text: it has no words. */
function wordsOf(known: Known): readonly string[] | undefined {
  if (known.kind === 'word') return known.words;
  if (known.kind === 'members') return [];
  if (known.kind !== 'value' || known.isLoose) return undefined;
  const lists = known.choices.map(({ schemas: [schema, ...others] }) =>
    others.length === 0 && typeof schema === 'object' && Array.isArray(schema.enum) ? schema.enum.map(String) : undefined,
  );
  return lists.every((list) => list !== undefined) ? [...new Set(lists.flat())] : undefined;
}

function itemOf(known: Known | undefined): Known | undefined {
  if (known?.kind === 'list') return known.of;
  if (known?.kind !== 'value' || !allHaveType(known, 'array')) return undefined;
  const looks = known.choices.map(({ root, schemas }) => ({ root, look: schemaMember(root, schemas, 0) }));
  const choices = looks.flatMap(({ root, look }) => (look.kind === 'declared' ? [{ root, schemas: look.schemas }] : []));
  return choices.length === looks.length ? { ...known, choices } : undefined;
}

function isMap(known: Known | undefined): boolean {
  return known?.kind === 'value' && allHaveType(known, 'object');
}
function allHaveType({ choices }: KnownValue, type: 'array' | 'object'): boolean {
  return choices.every(({ schemas }) => schemas.every((schema) => typeof schema === 'object' && schema.type === type));
}
