// The checks of a route table. Each table has a file that names typia (endpoint-validators.ts, inspector-validators.ts,
// agent-validators.ts): it turns the types of the routes into fast checks and into the schemas that the OpenAPI document shows. Here they
// become validators by id. A missing or wrong check does not compile.
import { type JsonBounds, valueBounds } from '../json-fault.js';
import { limits } from '../limits.js';
import { inOneOrder, type Schema, type Shapes, shapeName } from '../shape.js';
import type { Refinements } from '../shape-refine.js';
import { madeWhenAsked, type Validator, validatorsOver, wordings } from './validators.js';

/** A generated check of exactly T: neither of a wider type nor of a narrower one. */
export type Fits<T> = ((value: unknown) => value is T) & { readonly exactly?: (value: T) => T };
type Check<T> = [T] extends [undefined] ? typeof none : [T] extends [Uint8Array] ? typeof bytes : Fits<T>;
type Part<Route, Name> = Name extends keyof Route ? Route[Name] : never;
/** A check for each part of a request. */
export type RouteChecks<Routes> = {
  readonly [Id in keyof Routes]: { readonly [Name in 'path' | 'query' | 'body']: Check<Part<Routes[Id], Name>> };
};

/** How deep a body may be is its route's (`bodyLevelsMax`), and checked where it is read. */
const routeBounds: JsonBounds = { ...valueBounds, depth: limits.recordDepthMax };

/** In the place of a check: there is nothing to check. */
export const none = 'none';
export const bytes = 'bytes';

export function fits<T>(makeCheck: () => (value: unknown) => value is T): Fits<T> {
  return madeWhenAsked(makeCheck);
}

/** `null` in the place of bytes, which have no schema. */
type Described<T> = T extends Uint8Array ? null : T;
/** Of the routes of a table, for the type of which its schemas are made: interface Everything { routes: ...; error: ErrorEnvelope }. */
export type DescribedRoutes<Routes> = { [Id in keyof Routes]: { [Name in keyof Routes[Id]]: Described<Routes[Id][Name]> } };

export type RoutePart = 'path' | 'query' | 'body' | 'reply';
/** Absent: there is nothing to check. */
export interface RouteValidators {
  path?: Validator<object>;
  query?: Validator<object>;
  body?: Validator<object> | typeof bytes;
}
/** What the routes of a table take and return, at run time. */
export interface RouteContract<Id extends string> {
  /** Every shape that the routes name. */
  readonly shapes: Shapes;
  readonly validators: { readonly [_ in Id]: RouteValidators };
  /** The generated checks by the name of their shape. */
  readonly shapeChecks: ReadonlyMap<string, (value: unknown) => boolean>;
  /** What the walk over schemas shares with the generated checks. */
  readonly wordings: typeof wordings;
  /** The name of a part's shape; `bytes`: it has none; undefined: there is no such part, or it is plain text. */
  shapeNameOf(id: Id, part: RoutePart): string | undefined;
}

interface ContractParts<Id extends string> {
  /** `components.schemas` of the type Everything. */
  schemas: object | undefined;
  checks: { readonly [_ in Id]: { readonly [part: string]: unknown } };
  /** What types cannot say. */
  refinements: Refinements;
  /** What the generated checks call for each of their patterns. */
  patternOf: typeof wordings.patternOf;
}

export function routeContract<Id extends string>({ schemas, checks, refinements, patternOf }: ContractParts<Id>): RouteContract<Id> {
  const shapes = inOneOrder((schemas ?? {}) as Shapes);
  const memberOf = (schema: Schema | undefined, name: string): Schema | undefined => {
    const ref = schema && shapeName(schema);
    return (ref === undefined ? schema : shapes[ref])?.properties?.[name];
  };
  const shapeNameOf = (id: Id, part: RoutePart): string | undefined => {
    const schema = ['routes', id, part].reduce<Schema | undefined>(memberOf, shapes.Everything);
    if (schema === undefined) return undefined;
    return schema.type === 'null' ? bytes : shapeName(schema);
  };
  const shapeChecks = new Map<string, (value: unknown) => boolean>();
  const validator = validatorsOver(shapes, shapeChecks, refinements);
  const validatorOf = (id: Id, part: RoutePart, check: Fits<object>): Validator<object> => {
    const name = shapeNameOf(id, part);
    if (name === undefined) throw new Error(`the ${part} of ${id} has no shape of its own`);
    return validator(name, () => check, routeBounds);
  };
  const validators = Object.entries<{ readonly [part: string]: unknown }>(checks).map(([id, parts]) => {
    const found: { [part: string]: Validator<object> | typeof bytes } = {};
    for (const [part, check] of Object.entries(parts)) {
      if (check === bytes) found[part] = bytes;
      else if (check !== none) found[part] = validatorOf(id as Id, part as RoutePart, check as Fits<object>);
    }
    return [id, found];
  });
  return { shapes, validators: Object.fromEntries(validators), shapeChecks, wordings: { ...wordings, shapes, patternOf }, shapeNameOf };
}
