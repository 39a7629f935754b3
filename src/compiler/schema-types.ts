// TypeScript types of JSON Schemas: as narrow as the type system can say, and never narrower than the schema.
//   SCHEMA-TYPES-1. What TypeScript cannot say (patterns, bounds, `not`, `if`) is left out, so a type takes every value that its schema
//     takes; only members that an open object does not name are left out of its type, so that a misspelled one is found.
//   SCHEMA-TYPES-2. A reference becomes a type of its own, so that a schema which contains itself ends.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import type { JsonSchema } from '../contract/world/tool-manifest.js';

const openObject = '{ [name: string]: unknown }';

/** `refund-created` becomes `RefundCreated`. */
export function typeName(id: string): string {
  return id.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase()).replace(/[^A-Za-z0-9]/g, '');
}

/** A member's name as an object type wants it. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** A doc comment, or nothing. */
export function commentOf(description: unknown, indent: string): string {
  if (typeof description !== 'string' || description.trim() === '') return '';
  return `${indent}/** ${description.trim().replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n`;
}

/** Writes types; the references that it meets become declarations of their own. */
export class SchemaTypes {
  readonly #prefix: string;
  readonly #declared = new Map<string, string>();
  /** Their names by schema and reference. */
  readonly #references = new Map<string, string>();
  readonly #names = new Set<string>();

  /** `prefix`: of the names of its declarations. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  typeOf(schema: JsonSchema, indent = ''): string {
    return this.#write(schema, { root: schema, indent });
  }

  /** A type of objects, whatever the schema says. */
  objectTypeOf(schema: JsonSchema, indent = ''): string {
    const type = this.typeOf(schema, indent);
    return type === 'unknown' ? openObject : type;
  }

  declarations(): string[] {
    return [...this.#declared.values()];
  }

  #write(schema: JsonValue | undefined, at: { root: JsonSchema; indent: string }): string {
    if (schema === false) return 'never';
    if (!isJsonObject(schema)) return 'unknown';
    const parts = [this.#own(schema, at)];
    if (typeof schema.$ref === 'string') parts.push(this.#reference(schema.$ref, at));
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const options = schema[keyword];
      if (Array.isArray(options)) parts.push(union(options.map((option) => this.#write(option, at))));
    }
    if (Array.isArray(schema.allOf)) parts.push(...schema.allOf.map((part) => this.#write(part, at)));
    const known = [...new Set(parts.filter((part) => part !== 'unknown'))];
    if (known.length === 0) return 'unknown';
    return known.length === 1 ? (known[0] as string) : known.map(grouped).join(' & ');
  }

  /** Without its combinations and references. */
  #own(schema: JsonObject, at: { root: JsonSchema; indent: string }): string {
    if (Object.hasOwn(schema, 'const')) return literal(schema.const as JsonValue);
    if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
    const types = typeof schema.type === 'string' ? [schema.type] : Array.isArray(schema.type) ? schema.type : undefined;
    if (types !== undefined) return union(types.map((type) => this.#typed(String(type), schema, at)));
    return schema.properties === undefined ? 'unknown' : this.#typed('object', schema, at);
  }

  #typed(type: string, schema: JsonObject, at: { root: JsonSchema; indent: string }): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
      case 'number':
        return type;
      case 'integer':
        return 'number';
      case 'array':
        return this.#list(schema, at);
      case 'object':
        return this.#object(schema, at);
      default:
        return 'unknown';
    }
  }

  #list({ items, prefixItems }: JsonObject, at: { root: JsonSchema; indent: string }): string {
    const rest = `${grouped(this.#write(items, at))}[]`;
    if (!Array.isArray(prefixItems)) return rest;
    // A list may end before its last item.
    const first = prefixItems.map((item) => `${grouped(this.#write(item, at))}?`);
    return `[${[...first, ...(items === false ? [] : [`...${rest}`])].join(', ')}]`;
  }

  #object(schema: JsonObject, { root, indent }: { root: JsonSchema; indent: string }): string {
    const properties = isJsonObject(schema.properties) ? schema.properties : {};
    const names = Object.keys(properties);
    const required = Array.isArray(schema.required) ? schema.required : [];
    const others = schema.additionalProperties;
    if (names.length === 0) {
      if (others === false && schema.patternProperties === undefined) return '{ [name: string]: never }';
      return isJsonObject(others) ? `{ [name: string]: ${this.#write(others, { root, indent })} }` : openObject;
    }
    const deeper = `${indent}  `;
    const members = names.map((name) => {
      const property = properties[name] as JsonValue;
      const comment = isJsonObject(property) ? commentOf(property.description, deeper) : '';
      const type = this.#write(property, { root, indent: deeper });
      return `${comment}${deeper}${memberName(name)}${required.includes(name) ? '' : '?'}: ${type};\n`;
    });
    // An index signature has to fit every named member, so it says no more than that there may be others.
    if (isJsonObject(others)) members.push(`${deeper}[name: string]: unknown;\n`);
    return `{\n${members.join('')}${indent}}`;
  }

  #reference(ref: string, { root }: { root: JsonSchema }): string {
    const target = ref.startsWith('#') ? resolvePointer(root, ref.slice(1)) : undefined;
    if (target === undefined) return 'unknown';
    const key = JSON.stringify([root, ref]);
    const known = this.#references.get(key);
    if (known !== undefined) return known;
    const name = this.#freeName(typeName(ref.split('/').at(-1) ?? '') || 'Self');
    this.#references.set(key, name);
    this.#declared.set(name, '');
    this.#declared.set(name, `export type ${name} = ${this.#write(target, { root, indent: '' })};`);
    return name;
  }

  #freeName(wanted: string): string {
    let name = this.#prefix + wanted;
    for (let count = 2; this.#names.has(name); count++) name = `${this.#prefix}${wanted}${count}`;
    this.#names.add(name);
    return name;
  }
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  if (distinct.includes('unknown') || distinct.length === 0) return distinct.length === 0 ? 'never' : 'unknown';
  return distinct.length === 1 ? (distinct[0] as string) : distinct.map(grouped).join(' | ');
}

/** In parentheses where an operator beside it would take it apart. */
function grouped(type: string): string {
  // What stands in brackets or in text is no operator of this type.
  let flat = type.replace(/"(?:[^"\\]|\\.)*"/g, '');
  for (let before = ''; before !== flat; ) {
    before = flat;
    flat = flat.replace(/\{[^{}]*\}|\[[^[\]]*\]|\([^()]*\)/g, '');
  }
  return /[|&]/.test(flat) ? `(${type})` : type;
}

function literal(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (isJsonObject(value))
    return `{ ${Object.entries(value)
      .map(([name, member]) => `${memberName(name)}: ${literal(member)}`)
      .join('; ')} }`;
  return JSON.stringify(value);
}

function resolvePointer(root: JsonSchema, pointer: string): JsonValue | undefined {
  let found: JsonValue | undefined = root;
  for (const token of pointer.split('/').slice(1)) {
    const name = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(found)) found = found[Number(name)];
    else found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}
