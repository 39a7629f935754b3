// Exact path matching: a tree of segments in which a literal beats a name (contract/world/route-template.ts has the order).
import { ServiceError } from '../contract/errors.js';
import { type Affixes, affixRank, fitsAffixes, type TemplateSegment, templateSegments } from '../contract/world/route-template.js';

export interface PathMatch<R> {
  kind: 'match';
  route: R;
  /** Undecoded values of the template's names. */
  values: { name: string; value: string }[];
}
export type PathSearch<R> = PathMatch<R> | { kind: 'unknown' } | { kind: 'method'; methods: string[] };

/** The routes that end at one place, by method; the names belong to the route, as two may call one segment differently. */
type Ends<R> = Map<string, { route: R; names: string[] }>;
interface Node<R> {
  literals: Map<string, Node<R>>;
  /** Those with the longer affixes first. */
  affixed: (Affixes & { node: Node<R> })[];
  named: Node<R> | undefined;
  /** What follows the rest of a path, those with more of it first. */
  rests: { tail: readonly string[]; text: string; ends: Ends<R> }[];
  ends: Ends<R>;
}

export class PathTable<R extends { method: string; path: string }> {
  readonly #root: Node<R> = emptyNode();

  /** Throws when two routes answer to the same method and path. */
  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route);
  }

  find(method: string, path: string): PathSearch<R> {
    const segments = path.slice(1).split('/');
    let match: PathMatch<R> | undefined;
    visitEnds(this.#root, { segments, values: [] }, 0, (ends, values) => {
      const found = ends.get(method);
      if (found === undefined) return false;
      match = { kind: 'match', route: found.route, values: found.names.map((name, place) => ({ name, value: values[place] as string })) };
      return true;
    });
    if (match !== undefined) return match;
    const methods = new Set(this.#endsOf(segments).flatMap((ends) => [...ends.keys()]));
    return methods.size === 0 ? { kind: 'unknown' } : { kind: 'method', methods: [...methods].sort() };
  }

  /** Every route that the path fits, whatever its method; those that would answer first before the others. */
  *fitting(path: string): Generator<R> {
    for (const ends of this.#endsOf(path.slice(1).split('/'))) for (const { route } of ends.values()) yield route;
  }

  #endsOf(segments: readonly string[]): Ends<R>[] {
    const all: Ends<R>[] = [];
    visitEnds(this.#root, { segments, values: [] }, 0, (ends) => {
      all.push(ends);
      return false;
    });
    return all;
  }

  #add(route: R): void {
    const names: string[] = [];
    const segments = templateSegments(route.path);
    let node = this.#root;
    let { ends } = node;
    for (const [place, segment] of segments.entries()) {
      if (segment.kind !== 'literal') names.push(segment.name);
      if (segment.kind === 'rest') {
        ends = restEnds(node, segments.slice(place + 1));
        break;
      }
      node = childOf(node, segment);
      ({ ends } = node);
    }
    if (ends.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    ends.set(route.method, { route, names });
  }
}

function childOf<R>(node: Node<R>, segment: Exclude<TemplateSegment, { kind: 'rest' }>): Node<R> {
  if (segment.kind === 'literal') {
    const known = node.literals.get(segment.text);
    if (known !== undefined) return known;
    const made = emptyNode<R>();
    node.literals.set(segment.text, made);
    return made;
  }
  if (affixRank(segment) === 0) {
    node.named ??= emptyNode();
    return node.named;
  }
  const { prefix, suffix } = segment;
  const known = node.affixed.find((other) => other.prefix === prefix && other.suffix === suffix);
  if (known !== undefined) return known.node;
  const made = { prefix, suffix, node: emptyNode<R>() };
  insertBefore(node.affixed, made, (other) => affixRank(other) < affixRank(made));
  return made.node;
}

function restEnds<R>(node: Node<R>, after: readonly TemplateSegment[]): Ends<R> {
  const tail = after.map((segment) => (segment.kind === 'literal' ? segment.text : ''));
  const text = tail.join('/');
  const known = node.rests.find((rest) => rest.text === text);
  if (known !== undefined) return known.ends;
  const made = { tail, text, ends: new Map() as Ends<R> };
  insertBefore(node.rests, made, (rest) => rest.tail.length < tail.length);
  return made.ends;
}

/** At the end where none of the list is after it. */
function insertBefore<T>(list: T[], item: T, isAfter: (other: T) => boolean): void {
  const at = list.findIndex(isAfter);
  list.splice(at < 0 ? list.length : at, 0, item);
}

interface Walk {
  segments: readonly string[];
  /** Of the names on the way to where the walk is. */
  values: string[];
}
/**
 * Where a path ends, in the order of preference, until a visit says that it is enough. A name stands for one segment with something in it;
 * each node is looked at once. The values are read during the visit.
 */
function visitEnds<R>(node: Node<R>, walk: Walk, index: number, visit: (ends: Ends<R>, values: readonly string[]) => boolean): boolean {
  const { segments } = walk;
  if (index === segments.length) return visit(node.ends, walk.values);
  const segment = segments[index] as string;
  const literal = node.literals.get(segment);
  if (literal !== undefined && visitEnds(literal, walk, index + 1, visit)) return true;
  const below = (next: Node<R>, value: string): boolean => withValue(walk, value, () => visitEnds(next, walk, index + 1, visit));
  for (const { prefix, suffix, node: next } of node.affixed) {
    if (!fitsAffixes(segment, { prefix, suffix })) continue;
    if (below(next, segment.slice(prefix.length, segment.length - suffix.length))) return true;
  }
  if (node.named !== undefined && segment !== '' && below(node.named, segment)) return true;
  for (const { tail, ends } of node.rests) {
    const end = segments.length - tail.length;
    if (end <= index || tail.some((text, place) => segments[end + place] !== text)) continue;
    const value = segments.slice(index, end).join('/');
    if (value !== '' && withValue(walk, value, () => visit(ends, walk.values))) return true;
  }
  return false;
}
function withValue({ values }: Walk, value: string, visit: () => boolean): boolean {
  values.push(value);
  const isEnough = visit();
  values.pop();
  return isEnough;
}

function emptyNode<R>(): Node<R> {
  return { literals: new Map(), affixed: [], named: undefined, rests: [], ends: new Map() };
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
