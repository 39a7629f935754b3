// Values made from the contract's own schemas: sound ones, and ones with something broken in them.
import type { JsonValue } from '../../src/contract/json.js';
import { type Schema, type Shapes, shapeName } from '../../src/contract/shape.js';
import fc from '../fast-check.js';

type Value = fc.Arbitrary<JsonValue>;

/** Sound values of a shape, with its edges more often than chance would have them. */
export function shapeArbitrary(shapes: Shapes, name: string): Value {
  const depthIdentifier = fc.createDepthIdentifier();
  const named = new Map<string, Value>();
  const lazily = (ref: string): Value => {
    let arbitrary = named.get(ref);
    if (arbitrary === undefined) {
      const memo: { made?: Value } = {};
      arbitrary = fc.constant(null).chain(() => {
        memo.made ??= ref === 'JsonValue' ? (fc.jsonValue({ maxDepth: 1 }) as Value) : of(shapes[ref] as Schema);
        return memo.made;
      });
      named.set(ref, arbitrary);
    }
    return arbitrary;
  };
  const of = (schema: Schema): Value => {
    const ref = shapeName(schema);
    if (ref !== undefined) return lazily(ref);
    if ('const' in schema) return fc.constant(schema.const as JsonValue);
    if (schema.oneOf !== undefined) return fc.oneof({ depthIdentifier, depthSize: 'small' }, ...schema.oneOf.map(of));
    switch (schema.type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'string':
        return text(schema);
      case 'integer':
        return integer(schema);
      case 'number':
        return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true });
      case 'array':
        return list(schema, of(schema.items as Schema));
      default:
        return object(schema, of);
    }
  };
  return lazily(name);
}

function text({ minLength = 0, maxLength, pattern, format }: Schema): Value {
  if (format === 'uri') return fc.constantFrom('http://127.0.0.1:8080/agent', 'https://example.test/a?b=c');
  if (pattern !== undefined)
    return fc.stringMatching(new RegExp(pattern)).filter((made) => made.length >= minLength && made.length <= (maxLength ?? 300));
  const longest = Math.min(maxLength ?? 20, 6000);
  return fc.oneof(
    { weight: 8, arbitrary: fc.string({ minLength, maxLength: Math.min(longest, minLength + 10) }) },
    fc.constantFrom('x'.repeat(longest), 'x'.repeat(minLength)),
  );
}

function integer({ minimum = -1e6, maximum = 1e6 }: Schema): Value {
  const max = Math.max(maximum, minimum);
  return fc.oneof(fc.integer({ min: Math.max(minimum, -1e6), max: Math.min(max, 1e6) }), fc.constantFrom(minimum, max));
}

function list({ minItems = 0, maxItems = 1000 }: Schema, items: Value): Value {
  return fc.array(items, { minLength: minItems, maxLength: Math.min(maxItems, minItems + 2) });
}

function object({ properties = {}, required = [], additionalProperties }: Schema, of: (schema: Schema) => Value): Value {
  if (additionalProperties !== undefined)
    return fc.dictionary(fc.stringMatching(/^[A-Za-z]{1,8}$/), of(additionalProperties), { maxKeys: 2, noNullPrototype: true });
  const members = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, of(schema)]));
  return fc.record(members, { requiredKeys: required.filter((name) => name in members), noNullPrototype: true }) as Value;
}

const odd: Value = fc.constantFrom<JsonValue[]>(
  null,
  true,
  0,
  -1,
  0.5,
  1,
  2 ** 53,
  5e9,
  '',
  'x',
  'Bad Id',
  'sha256:',
  'x'.repeat(70_000),
  [],
  ['x', 'x'],
  {},
  { kind: 'none' },
);
type Break = { at: number; how: 'replace' | 'remove' | 'add' | 'repeat'; value: JsonValue; name: string };
export const breaks: fc.Arbitrary<Break[]> = fc.array(
  fc.record({
    at: fc.nat(),
    how: fc.constantFrom('replace', 'remove', 'add', 'repeat'),
    value: odd,
    name: fc.constantFrom('extra', 'kind', 'id', 'toString', '__proto__', 'a/b~c'),
  }),
  { minLength: 1, maxLength: 3 },
);

/** The same value with something changed somewhere; it may still be sound. */
export function broken(value: JsonValue, changes: readonly Break[]): JsonValue {
  const root = { value: structuredClone(value) };
  for (const { at, how, value: odd, name } of changes) {
    const places = containers(root);
    const { holder, key } = places[at % places.length] as Place;
    const there = holder[key];
    if (how === 'remove' && holder !== root) {
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
    } else if (how === 'add' && typeof there === 'object' && there !== null && !Array.isArray(there)) {
      Object.defineProperty(there, name, { value: structuredClone(odd), enumerable: true, configurable: true, writable: true });
    } else if (how === 'repeat' && Array.isArray(there)) {
      for (let copies = 0; copies < 10; copies++) there.push(...structuredClone(there.slice(0, 20)));
    } else holder[key] = structuredClone(odd);
  }
  return root.value;
}

interface Place {
  holder: { [key: string]: JsonValue };
  key: string;
}
function containers(holder: object): Place[] {
  return Object.entries(holder).flatMap(([key, value]) => [
    { holder: holder as Place['holder'], key },
    ...(typeof value === 'object' && value !== null ? containers(value) : []),
  ]);
}
