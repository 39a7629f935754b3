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
/** Undefined where nothing below is refined. */
type Visit = ((value: unknown, path: string, report: Report) => void) | undefined;

/** For each shape name, what refines values of it; undefined for shapes with nothing refined in them. */
export function layRefinements(shapes: Shapes, refinements: Refinements): (name: string) => Visit {
  const reached = shapesReaching(shapes, Object.keys(refinements));
  const laid = new Map<string, Visit>();
  const named = (name: string): Visit => {
    if (!reached.has(name)) return undefined;
    if (!laid.has(name)) {
      // Set first: a shape may contain itself.
      laid.set(name, (value, path, report) => visit?.(value, path, report));
      const visit = both(inside(shapes[name] as Schema), own(refinements[name]));
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
    const visits = new Map(union.all.map((option) => [option.schema, option.name === undefined ? inside(option.schema) : named(option.name)]));
    if ([...visits.values()].every((visit) => visit === undefined)) return undefined;
    return (value, path, report) => {
      const type = jsonTypeOf(value);
      const chosen = type === 'object' ? chooseObject(union, value as Members) : union.all.find((option) => typeOfSchema(option.schema) === type);
      if (chosen !== undefined) visits.get(chosen.schema)?.(value, path, report);
    };
  };
  const insideObject = ({ properties = {}, additionalProperties }: Schema): Visit => {
    const members = Object.entries(properties).flatMap(([name, schema]) => {
      const visit = of(schema);
      return visit === undefined ? [] : [{ name, visit }];
    });
    const other = additionalProperties === undefined ? undefined : of(additionalProperties);
    if (members.length === 0 && other === undefined) return undefined;
    return (value, path, report) => {
      const object = value as Members;
      for (const { name, visit } of members) if (object[name] !== undefined) visit(object[name], path + pointerToken(name), report);
      if (other === undefined) return;
      for (const name of Object.keys(object)) if (!Object.hasOwn(properties, name)) other(object[name], path + pointerToken(name), report);
    };
  };
  return named;
}

function insideList(visit: Visit): Visit {
  if (visit === undefined) return undefined;
  return (value, path, report) => {
    const items = value as unknown[];
    for (let index = 0; index < items.length; index++) visit(items[index], `${path}/${index}`, report);
  };
}

function own(refine: Refinements[string] | undefined): Visit {
  if (refine === undefined) return undefined;
  return (value, path, report) => refine(value as never, (inside, code, message) => report(path + inside, code, message));
}

function both(first: Visit, second: Visit): Visit {
  if (first === undefined || second === undefined) return first ?? second;
  return (value, path, report) => {
    first(value, path, report);
    second(value, path, report);
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
