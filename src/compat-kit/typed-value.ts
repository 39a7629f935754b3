// A JSON value against a type of TypeScript, as the compiler knows it: for vendors whose clients say in types what a response is.
//   TYPED-VALUE-1. Each member that is not optional has to be there, and null only where the type says so; members beside them are free,
//     unless types are closed.
import type { IntersectionType, LiteralType, Type, TypeChecker, TypeReference } from 'typescript';
import type { TypeScript } from '../compiler/typescript.js';
import { isRecord } from '../contract/json.js';

type JsonRecord = { readonly [name: string]: unknown };

interface TypeMember {
  name: string;
  type: Type;
  /** It may be left out: it is optional, or its type allows that nothing is there. */
  mayLack: boolean;
}
/** What an object type has: its members by name, and the type of members beside them where it has one. */
interface TypeShape {
  members: ReadonlyMap<string, TypeMember>;
  beside: Type | undefined;
  /** `{}` is anything but null. */
  isAnything: boolean;
  isList: boolean;
  /** Those members that are one value alone, which tell the parts of a union apart. */
  literals: readonly TypeMember[];
}

export class TypedValues {
  readonly #ts: TypeScript;
  readonly #checker: TypeChecker;
  readonly #isClosed: boolean;
  /** The compiler takes milliseconds for the text of a type, and looks up its members again each time it is asked. */
  readonly #texts = new Map<Type, string>();
  readonly #shapes = new Map<Type, TypeShape>();

  /** `isClosed`: a member that an object type does not have is a fault. */
  constructor(ts: TypeScript, checker: TypeChecker, { isClosed = false }: { isClosed?: boolean } = {}) {
    this.#ts = ts;
    this.#checker = checker;
    this.#isClosed = isClosed;
  }

  /** `place`: a JSON Pointer, with `*` for items of a list. */
  faultsOf(value: unknown, type: Type, place = ''): string[] {
    const { TypeFlags } = this.#ts;
    const { flags } = type;
    if ((flags & (TypeFlags.Any | TypeFlags.Unknown)) !== 0) return [];
    if (type.isUnion()) return this.#ofUnion(value, type.types, { type, place });
    if (type.isIntersection() && !isRecord(value)) return this.#ofParts(value, type, place);
    if ((flags & (TypeFlags.Object | TypeFlags.Intersection | TypeFlags.NonPrimitive)) !== 0) return this.#ofObject(value, type, place);
    // What a type leaves open until it is used is as good as what bounds it.
    if ((flags & TypeFlags.Instantiable) !== 0 && (flags & (TypeFlags.TemplateLiteral | TypeFlags.StringMapping)) === 0) {
      const bound = this.#checker.getBaseConstraintOfType(type);
      return bound === undefined || bound === type ? [] : this.faultsOf(value, bound, place);
    }
    return this.#isOf(value, type) ? [] : [this.#mismatch(value, type, place)];
  }

  #isOf(value: unknown, type: Type): boolean {
    const { TypeFlags } = this.#ts;
    const { flags } = type;
    if (type.isStringLiteral() || type.isNumberLiteral()) return value === (type as LiteralType).value;
    if ((flags & TypeFlags.BooleanLiteral) !== 0) return typeof value === 'boolean' && this.#textOf(type) === String(value);
    if ((flags & TypeFlags.StringLike) !== 0) return typeof value === 'string';
    if ((flags & TypeFlags.NumberLike) !== 0) return typeof value === 'number';
    if ((flags & TypeFlags.BooleanLike) !== 0) return typeof value === 'boolean';
    return (flags & TypeFlags.Null) !== 0 && value === null;
  }

  /** Of several types the one that the value is nearest to says what is wrong: by what tells them apart, then by the fewest faults. */
  #ofUnion(value: unknown, types: readonly Type[], { type, place }: { type: Type; place: string }): string[] {
    let nearest: { distance: number; faults: string[] } | undefined;
    const { TypeFlags } = this.#ts;
    const plain = TypeFlags.StringLike | TypeFlags.NumberLike | TypeFlags.BooleanLike | TypeFlags.Null;
    const isPrimitive = typeof value !== 'object' || value === null;
    for (const one of types) {
      // The words of what it is not are for nobody, and cost the most.
      if (isPrimitive && !one.isUnion() && (one.flags & plain) !== 0) {
        if (this.#isOf(value, one)) return [];
        continue;
      }
      const faults = this.faultsOf(value, one, place);
      if (faults.length === 0) return [];
      if (!isRecord(value) || (one.flags & TypeFlags.StructuredType) === 0) continue;
      const distance = this.#differingLiterals(value, one);
      const isNearer = nearest === undefined || distance < nearest.distance;
      if (isNearer || (distance === nearest?.distance && faults.length < nearest.faults.length)) nearest = { distance, faults };
    }
    if (nearest !== undefined) return nearest.faults;
    if (!Array.isArray(value)) return [this.#mismatch(value, type, place)];
    const lists = types.filter((one) => this.#checker.isArrayType(one)).map((one) => this.faultsOf(value, one, place));
    return lists.toSorted((one, other) => one.length - other.length)[0] ?? [this.#mismatch(value, type, place)];
  }

  #differingLiterals(value: JsonRecord, type: Type): number {
    return this.#shapeOf(type).literals.filter(({ name, type: own }) => !this.#isOf(value[name], own)).length;
  }

  /** Of an intersection, where the value is no object: brands of texts and the like. */
  #ofParts(value: unknown, { types }: IntersectionType, place: string): string[] {
    const isPrimitive = typeof value !== 'object';
    const parts = isPrimitive ? types.filter(({ flags }) => (flags & this.#ts.TypeFlags.Object) === 0) : types;
    return (parts.length === 0 ? types : parts).flatMap((type) => this.faultsOf(value, type, place));
  }

  #ofObject(value: unknown, type: Type, place: string): string[] {
    const { members, beside, isAnything, isList } = this.#shapeOf(type);
    if (isList) return this.#ofList(value, type as TypeReference, place);
    if (isAnything) return value === null || value === undefined ? [this.#mismatch(value, type, place)] : [];
    if (!isRecord(value)) return [this.#mismatch(value, type, place)];
    const faults: string[] = [];
    for (const { name, type: own, mayLack } of members.values()) {
      if (Object.hasOwn(value, name)) faults.push(...this.faultsOf(value[name], own, `${place}/${name}`));
      else if (!mayLack) faults.push(`${place === '' ? 'the body' : place} has no member '${name}'`);
    }
    if (beside === undefined && !this.#isClosed) return faults;
    for (const name of Object.keys(value)) {
      if (members.has(name)) continue;
      if (beside === undefined) faults.push(`${place === '' ? 'the body' : place} has a member '${name}', which the type does not`);
      else faults.push(...this.faultsOf(value[name], beside, `${place}/${name}`));
    }
    return faults;
  }

  #allowsNothing(type: Type): boolean {
    const { TypeFlags } = this.#ts;
    const nothing = TypeFlags.Undefined | TypeFlags.Void | TypeFlags.Any | TypeFlags.Unknown | TypeFlags.Never;
    const parts = type.isUnion() ? type.types : [type];
    return parts.some((part) => (part.flags & nothing) !== 0 || part.getCallSignatures().length > 0);
  }

  #ofList(value: unknown, type: TypeReference, place: string): string[] {
    if (!Array.isArray(value)) return [this.#mismatch(value, type, place)];
    const types = this.#checker.getTypeArguments(type);
    const isTuple = this.#checker.isTupleType(type);
    const faults = value.flatMap((item, index) => {
      const own = isTuple ? (types[index] ?? types.at(-1)) : types[0];
      return own === undefined ? [] : this.faultsOf(item, own, `${place}/*`);
    });
    return [...new Set(faults)];
  }

  #shapeOf(type: Type): TypeShape {
    const known = this.#shapes.get(type);
    if (known !== undefined) return known;
    const { SymbolFlags, TypeFlags } = this.#ts;
    const members = this.#checker.getPropertiesOfType(type).map((member) => {
      const own = this.#checker.getTypeOfSymbol(member);
      return { name: member.name, type: own, mayLack: (member.flags & SymbolFlags.Optional) !== 0 || this.#allowsNothing(own) };
    });
    const indexes = this.#checker.getIndexInfosOfType(type);
    const shape = {
      members: new Map(members.map((member) => [member.name, member])),
      beside: indexes.find(({ keyType }) => (keyType.flags & TypeFlags.StringLike) !== 0)?.type,
      isAnything: members.length === 0 && indexes.length === 0 && (type.flags & TypeFlags.NonPrimitive) === 0,
      isList: this.#checker.isTupleType(type) || this.#checker.isArrayType(type),
      literals: members.filter(({ type: own }) => (own.flags & TypeFlags.Literal) !== 0),
    };
    this.#shapes.set(type, shape);
    return shape;
  }

  #mismatch(value: unknown, type: Type, place: string): string {
    const what = Array.isArray(value) ? 'a list' : isRecord(value) ? 'an object' : JSON.stringify(value);
    return `${place === '' ? 'the body' : place} is ${what}, not ${this.#textOf(type)}`;
  }

  #textOf(type: Type): string {
    const known = this.#texts.get(type) ?? this.#checker.typeToString(type);
    this.#texts.set(type, known);
    return known;
  }
}
