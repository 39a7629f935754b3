// A JSON value against a type of TypeScript, as the compiler knows it: for vendors whose clients say in types what a response is.
//   TYPED-VALUE-1. Each member that is not optional has to be there, and null only where the type says so; members beside them are free.
import type { IntersectionType, LiteralType, Symbol as Member, Type, TypeChecker, TypeReference } from 'typescript';
import type { TypeScript } from '../compiler/typescript.js';

type JsonRecord = { readonly [name: string]: unknown };
const isRecord = (value: unknown): value is JsonRecord => typeof value === 'object' && value !== null && !Array.isArray(value);

export class TypedValues {
  readonly #ts: TypeScript;
  readonly #checker: TypeChecker;
  /** The text of a type takes the compiler milliseconds, and members of a union are asked for theirs again and again. */
  readonly #texts = new Map<Type, string>();

  constructor(ts: TypeScript, checker: TypeChecker) {
    this.#ts = ts;
    this.#checker = checker;
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
    for (const one of types) {
      const faults = this.faultsOf(value, one, place);
      if (faults.length === 0) return [];
      if (!isRecord(value) || (one.flags & this.#ts.TypeFlags.StructuredType) === 0) continue;
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
    return this.#membersOf(type).filter((member) => {
      const own = this.#checker.getTypeOfSymbol(member);
      return (own.flags & this.#ts.TypeFlags.Literal) !== 0 && !this.#isOf(value[member.name], own);
    }).length;
  }

  /** Of an intersection, where the value is no object: brands of texts and the like. */
  #ofParts(value: unknown, { types }: IntersectionType, place: string): string[] {
    const isPrimitive = typeof value !== 'object';
    const parts = isPrimitive ? types.filter(({ flags }) => (flags & this.#ts.TypeFlags.Object) === 0) : types;
    return (parts.length === 0 ? types : parts).flatMap((type) => this.faultsOf(value, type, place));
  }

  #ofObject(value: unknown, type: Type, place: string): string[] {
    const checker = this.#checker;
    if (checker.isTupleType(type) || checker.isArrayType(type)) return this.#ofList(value, type as TypeReference, place);
    const members = this.#membersOf(type);
    const indexes = checker.getIndexInfosOfType(type);
    // `{}` is anything but null.
    if (members.length === 0 && indexes.length === 0 && (type.flags & this.#ts.TypeFlags.NonPrimitive) === 0)
      return value === null || value === undefined ? [this.#mismatch(value, type, place)] : [];
    if (!isRecord(value)) return [this.#mismatch(value, type, place)];
    const known = new Set(members.map(({ name }) => name));
    const [index] = indexes.filter(({ keyType }) => (keyType.flags & this.#ts.TypeFlags.StringLike) !== 0);
    const beside = index === undefined ? [] : Object.keys(value).filter((name) => !known.has(name));
    return [
      ...members.flatMap((member) => this.#ofMember(value, member, place)),
      ...beside.flatMap((name) => this.faultsOf(value[name], (index as typeof index & object).type, `${place}/${name}`)),
    ];
  }

  #ofMember(value: JsonRecord, member: Member, place: string): string[] {
    const type = this.#checker.getTypeOfSymbol(member);
    if (Object.hasOwn(value, member.name)) return this.faultsOf(value[member.name], type, `${place}/${member.name}`);
    const isOptional = (member.flags & this.#ts.SymbolFlags.Optional) !== 0;
    return isOptional || this.#allowsNothing(type) ? [] : [`${place === '' ? 'the body' : place} has no member '${member.name}'`];
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

  #membersOf(type: Type): Member[] {
    return this.#checker.getPropertiesOfType(type);
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
