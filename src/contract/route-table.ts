// What a row of a route table says. Three tables have this shape: endpoint-table.ts (`/v1`), inspector/routes.ts (`/api/v1`) and
// agent-routes.ts (what agents call). The router, the checks of what arrives and the OpenAPI documents are made from them.

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a route takes and returns, as types: `undefined` where there is none. A reply of `Uint8Array` is bytes, one of `string` text. */
export interface RouteParts<Path, Query, Body, Reply> {
  path: Path;
  query: Query;
  body: Body;
  reply: Reply;
}

/** `Needs`: who may ask, in the words of the table. */
export interface RouteRule<Needs = unknown> {
  method: RouteMethod;
  /** Literal segments, and `{names}` that stand for a whole segment. */
  path: string;
  /** Its section in the document. */
  area: string;
  summary: string;
  authority: Needs;
  success: 200 | 201 | 202;
  /** Of a reply that is no JSON, its media type; of one that comes as JSON or as a stream, the media type of the stream. */
  media?: string;
  /** Bytes of the largest body. Default limits.bodyBytesMax. */
  bodyBytesMax?: number;
  /** How deep it may be. Default limits.jsonDepthMax. */
  bodyLevelsMax?: number;
  /** A request without a body counts as one with an empty object. Default: only where the body's shape has no members. */
  isBodyOptional?: boolean;
  /** The route reads and checks its body, JSON, itself. */
  readsBody?: boolean;
  /** Parameters of the query are not checked. Default: those that the route does not take are refused. */
  ignoresQuery?: boolean;
  /** Its reply may be as large as a page or a document; such replies share the memory that is kept for them. */
  hasLargeReply?: boolean;
}
export type RouteTable<Id extends string, Rule extends RouteRule = RouteRule> = { readonly [_ in Id]: Rule };

/** The names of a path's template, in order. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

interface Values {
  readonly [name: string]: string | number | undefined;
}
/** A path of the template, its values percent-encoded. Throws a TypeError where one is missing. */
export function filledPath(template: string, values: Values): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`${template} needs path.${name}`);
    return encodeURIComponent(value);
  });
}

/** A query with its `?`; members that are undefined are left out, and '' is one without any. */
export function filledQuery(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = given.map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
