// Rules that types cannot say, applied to values whose shape is right. The way to each refined shape is laid once, so that checking a
// document costs what its refined parts cost.
import type { IssueCode } from './issue-codes.js';
import { pointerToken } from './json-fault.js';
import { chooseObject, jsonTypeOf, type Members, type Schema, type Shapes, shapeName, typeOfSchema, unionOf } from './shape.js';

/** `path` is relative to the refined value. */
export type Report = (path: string, code: IssueCode, message: string) => void;
/** By the name of a shape. */
export interface Refinements {
  readonly [name: string]: (value: never, report: Report) => void;
}
/** What to do with a value of a named shape. */
export type Meet = (shape: string, value: unknown, path: string) => void;
/** Undefined where none of the shapes lies below. */
type Visit = ((value: unknown, path: string, meet: Meet) => void) | undefined;

/** For each shape name, what refines values of it; undefined for shapes with nothing refined in them. */
export function layRefinements(shapes: Shapes, refinements: Refinements) {
  const laid = layShapes(shapes, Object.keys(refinements));
  return (name: string): ((value: unknown, path: string, report: Report) => void) | undefined => {
    const visit = laid(name);
    if (visit === undefined) return undefined;
    return (value, path, report) =>
      visit(value, path, (shape, met, at) =>
        (refinements[shape] as Refinements[string])(met as never, (within, code, message) => report(at + within, code, message)),
      );
  };
}

/**
 * For each shape name, a walk over a value that meets every value below it that is to be of one of `wanted`. The value may be misshapen.
 */
export function layShapes(shapes: Shapes, wanted: readonly string[]): (name: string) => Visit {
  const reached = shapesReaching(shapes, wanted);
  const laid = new Map<string, Visit>();
  const named = (name: string): Visit => {
    if (!reached.has(name)) return undefined;
    if (!laid.has(name)) {
      // Set first: a shape may contain itself.
      laid.set(name, (value, path, meet) => visit?.(value, path, meet));
      const visit = both(
        inside(shapes[name] as Schema),
        wanted.includes(name) ? (value, path, meet) => meet(name, value, path) : undefined,
      );
      laid.set(name, visit);
    }
    return laid.get(name);
  };
  const of = (schema: Schema): Visit => {
    const name = shapeName(schema);
    return name === undefined ? inside(schema) : named(name);
  };
  const inside = (schema: Schema): Visit => {
    if (schema.oneOf !== undefined) return insideUnion(schema);
    if (schema.type === 'array' && schema.items !== undefined) return insideList(of(schema.items));
    if (schema.type === 'object') return insideObject(schema);
    return undefined;
  };
  const insideUnion = (schema: Schema): Visit => {
    const union = unionOf(shapes, schema);
    const visits = new Map(
      union.all.map((option) => [option.schema, option.name === undefined ? inside(option.schema) : named(option.name)]),
    );
    if ([...visits.values()].every((visit) => visit === undefined)) return undefined;
    return (value, path, meet) => {
      const type = jsonTypeOf(value);
      const chosen =
        type === 'object' ? chooseObject(union, value as Members) : union.all.find((option) => typeOfSchema(option.schema) === type);
      if (chosen !== undefined) visits.get(chosen.schema)?.(value, path, meet);
    };
  };
  const insideObject = ({ properties = {}, additionalProperties }: Schema): Visit => {
    const members = Object.entries(properties).flatMap(([name, schema]) => {
      const visit = of(schema);
      return visit === undefined ? [] : [{ name, visit }];
    });
    const other = additionalProperties === undefined ? undefined : of(additionalProperties);
    if (members.length === 0 && other === undefined) return undefined;
    return (value, path, meet) => {
      if (jsonTypeOf(value) !== 'object') return;
      const object = value as Members;
      for (const { name, visit } of members) if (object[name] !== undefined) visit(object[name], path + pointerToken(name), meet);
      if (other === undefined) return;
      for (const name of Object.keys(object)) if (!Object.hasOwn(properties, name)) other(object[name], path + pointerToken(name), meet);
    };
  };
  return named;
}

function insideList(visit: Visit): Visit {
  if (visit === undefined) return undefined;
  return (value, path, meet) => {
    if (!Array.isArray(value)) return;
    for (let index = 0; index < value.length; index++) visit(value[index], `${path}/${index}`, meet);
  };
}

function both(first: Visit, second: Visit): Visit {
  if (first === undefined || second === undefined) return first ?? second;
  return (value, path, meet) => {
    first(value, path, meet);
    second(value, path, meet);
  };
}

/** Names of all shapes from which one of `targets` can be reached, the targets included. */
function shapesReaching(shapes: Shapes, targets: readonly string[]): Set<string> {
  const mentioners = new Map<string, string[]>();
  for (const [name, schema] of Object.entries(shapes)) {
    for (const ref of mentioned(schema)) mentioners.set(ref, [...(mentioners.get(ref) ?? []), name]);
  }
  const reaching = new Set(targets);
  // A set that grows is walked to its new end.
  for (const name of reaching) for (const mentioner of mentioners.get(name) ?? []) reaching.add(mentioner);
  return reaching;
}

/** The names of shapes that stand in a schema itself. */
function mentioned(schema: Schema, names: Set<string> = new Set()): Set<string> {
  const ref = shapeName(schema);
  if (ref !== undefined) return names.add(ref);
  for (const part of schema.oneOf ?? []) mentioned(part, names);
  if (schema.properties !== undefined) for (const part of Object.values(schema.properties)) mentioned(part, names);
  if (schema.items !== undefined) mentioned(schema.items, names);
  if (schema.additionalProperties !== undefined) mentioned(schema.additionalProperties, names);
  return names;
}
