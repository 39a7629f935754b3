// Exact path matching: a tree of segments in which a literal beats a name.
import { ServiceError } from '../contract/errors.js';

export interface PathMatch<R> {
  kind: 'match';
  route: R;
  /** Undecoded values of the template's names. */
  values: { name: string; value: string }[];
}
export type PathSearch<R> = PathMatch<R> | { kind: 'unknown' } | { kind: 'method'; methods: string[] };

interface Node<R> {
  literals: Map<string, Node<R>>;
  named: Node<R> | undefined;
  /** By method; the names belong to the route, as two routes may call one segment differently. */
  routes: Map<string, { route: R; names: string[] }>;
}

export class PathTable<R extends { method: string; path: string }> {
  readonly #root: Node<R> = emptyNode();

  /** Throws when two routes answer to the same method and path. */
  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route);
  }

  find(method: string, path: string): PathSearch<R> {
    const segments = path.slice(1).split('/');
    const found = match(this.#root, { method, segments }, 0, []);
    if (found !== undefined) return found;
    const methods = new Set<string>();
    collectMethods(this.#root, segments, 0, methods);
    return methods.size === 0 ? { kind: 'unknown' } : { kind: 'method', methods: [...methods].sort() };
  }

  #add(route: R): void {
    const names: string[] = [];
    let node = this.#root;
    for (const segment of route.path.slice(1).split('/')) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name !== undefined) {
        names.push(name);
        node.named ??= emptyNode();
        node = node.named;
        continue;
      }
      let next = node.literals.get(segment);
      if (next === undefined) {
        next = emptyNode();
        node.literals.set(segment, next);
      }
      node = next;
    }
    if (node.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, { route, names });
  }
}

/** The most literal route that fits. A name stands for one non-empty segment. */
function match<R>(
  node: Node<R>,
  wanted: { method: string; segments: readonly string[] },
  index: number,
  values: readonly string[],
): PathMatch<R> | undefined {
  if (index === wanted.segments.length) {
    const found = node.routes.get(wanted.method);
    if (found === undefined) return undefined;
    return { kind: 'match', route: found.route, values: found.names.map((name, place) => ({ name, value: values[place] as string })) };
  }
  const segment = wanted.segments[index] as string;
  const literal = node.literals.get(segment);
  const found = literal === undefined ? undefined : match(literal, wanted, index + 1, values);
  if (found !== undefined || node.named === undefined || segment === '') return found;
  return match(node.named, wanted, index + 1, [...values, segment]);
}

function collectMethods<R>(node: Node<R>, segments: readonly string[], index: number, methods: Set<string>): void {
  if (index === segments.length) {
    for (const method of node.routes.keys()) methods.add(method);
    return;
  }
  const segment = segments[index] as string;
  const literal = node.literals.get(segment);
  if (literal !== undefined) collectMethods(literal, segments, index + 1, methods);
  if (node.named !== undefined && segment !== '') collectMethods(node.named, segments, index + 1, methods);
}

function emptyNode<R>(): Node<R> {
  return { literals: new Map(), named: undefined, routes: new Map() };
}

/** Percent-decoded; a malformed escape is the client's mistake. */
export function decodePathValues(values: readonly { name: string; value: string }[]): { [name: string]: string } {
  const decoded: { [name: string]: string } = Object.create(null);
  for (const { name, value } of values) {
    try {
      decoded[name] = decodeURIComponent(value);
    } catch {
      throw new ServiceError('control.INVALID_REQUEST', {
        message: 'The path is not percent-encoded UTF-8.',
        issues: [{ path: `/path/${name}`, code: 'format', message: 'is not percent-encoded UTF-8' }],
      });
    }
  }
  return decoded;
}
