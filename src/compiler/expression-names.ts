// Names inside of an expression, as far as it is known what stands before the dot: members of calls and events, of rows by their schemas,
// and the ids that these are compared with. `!has(row.asigneeId)` and `operationId == 'ticket.asign'` would hold whatever happens.
//   EXPRESSION-NAMES-1. What is known of a value is known of every value there: of anything else nothing is said.
import type { JsonSchema } from '../contract/world/tool-manifest.js';
import type { Expr } from '../expressions/syntax.js';
import { schemaMember } from './schema-members.js';

/** What is known of a part of an expression; undefined: nothing. */
export type Known =
  | { kind: 'members'; what: string; members: { readonly [name: string]: Known | undefined } }
  | { kind: 'list'; of: Known }
  /** The rows of a namespace, by id; its values have the schema. */
  | { kind: 'rows'; what: string; schema: JsonSchema }
  | { kind: 'value'; what: string; root: JsonSchema; schemas: readonly JsonSchema[] }
  /** A text that is one of these. */
  | { kind: 'word'; what: string; words: readonly string[] };

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
      case 'callExpr': {
        const { function: name, target, args } = kind.value;
        if (target !== undefined) this.visit(target, scope);
        const known = args.map((argument) => this.visit(argument, scope));
        if (name === '_[_]') return this.#item(known[0], args[1]);
        if (name === '_==_' || name === '_!=_') this.#compare(args, known);
        // What is on the right is a list of values, or a map of which a key is meant.
        if (name === '@in' && args[1]?.exprKind.case === 'listExpr') this.#compare(args, [known[0], undefined]);
        return undefined;
      }
      case 'comprehensionExpr': {
        const { iterRange, accuInit, iterVar, accuVar, loopCondition, loopStep, result } = kind.value;
        const range = this.visit(iterRange, scope);
        this.visit(accuInit, scope);
        // Of a map the keys are gone through.
        const inside = new Map([...scope, [iterVar, itemOf(range)], [accuVar, undefined]]);
        for (const part of [loopCondition, loopStep, result]) this.visit(part, inside);
        return undefined;
      }
      case 'listExpr':
        for (const element of kind.value.elements) this.visit(element, scope);
        return undefined;
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

  #member(owner: Known | undefined, name: string | number): Known | undefined {
    if (owner?.kind === 'rows') return { kind: 'value', what: owner.what, root: owner.schema, schemas: [owner.schema] };
    if (owner?.kind === 'members') {
      if (Object.hasOwn(owner.members, name)) return owner.members[name];
      const known = Object.keys(owner.members);
      this.faults.push({ kind: 'member', what: owner.what, name: String(name), known, isCertain: true });
    }
    if (owner?.kind !== 'value') return undefined;
    const member = schemaMember(owner.root, owner.schemas, name);
    if (member.kind === 'declared') return { ...owner, schemas: member.schemas };
    const isCertain = member.kind === 'impossible';
    if (isCertain || member.names.length > 0)
      this.faults.push({ kind: 'member', what: owner.what, name: String(name), known: member.names, isCertain });
    return undefined;
  }

  #item(owner: Known | undefined, key: Expr | undefined): Known | undefined {
    const text = textOf(key);
    if (text !== undefined) return this.#member(owner, text);
    // Whatever the key is, a row is a row; a value may be a list or a map.
    return owner?.kind === 'rows' ? this.#member(owner, '') : itemOf(owner);
  }

  #compare(sides: readonly Expr[], known: readonly (Known | undefined)[]): void {
    for (const [index, side] of sides.entries()) {
      const other = known[1 - index];
      const kind = side?.exprKind;
      const texts = (kind?.case === 'listExpr' ? kind.value.elements : [side]).flatMap((element) => textOf(element) ?? []);
      const allowed = other === undefined ? undefined : wordsOf(other);
      if (other === undefined || other.kind === 'list' || allowed === undefined) continue;
      for (const name of texts) {
        if (!allowed.includes(name)) this.faults.push({ kind: 'word', what: other.what, name, known: allowed });
      }
    }
  }
}

/** An object equals no text: it has no words. */
function wordsOf(known: Known): readonly string[] | undefined {
  if (known.kind === 'word') return known.words;
  if (known.kind === 'members') return [];
  const schema = known.kind === 'value' && known.schemas.length === 1 ? known.schemas[0] : undefined;
  return typeof schema === 'object' && Array.isArray(schema.enum) ? schema.enum.map(String) : undefined;
}

function itemOf(known: Known | undefined): Known | undefined {
  if (known?.kind === 'list') return known.of;
  if (known?.kind !== 'value') return undefined;
  const isList = known.schemas.every((schema) => typeof schema === 'object' && schema.type === 'array');
  const member = isList ? schemaMember(known.root, known.schemas, 0) : undefined;
  return member?.kind === 'declared' ? { ...known, schemas: member.schemas } : undefined;
}

function textOf(node: Expr | undefined): string | undefined {
  const kind = node?.exprKind;
  const constant = kind?.case === 'constExpr' ? kind.value.constantKind : undefined;
  return constant?.case === 'stringValue' ? constant.value : undefined;
}
