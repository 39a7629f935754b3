// Which routes of many are ambiguous. Each template is read once, and only those are compared that are alike up to a parameter with affixes
// whose prefixes fit one segment: tools have thousands of routes, and the process that opens an access to them has others to answer.
import { compareTexts } from '../../text/compare-texts.js';
import { affixRank, areAmbiguousFrom, segmentKey, type TemplateSegment, templateSegments } from './route-template.js';

interface Template {
  method: string;
  path: string;
}
/** A route at a place where it has a parameter with affixes. */
interface Placed<R> {
  route: R;
  segments: readonly TemplateSegment[];
  place: number;
  prefix: string;
  suffix: string;
}

/** Calls `found` with each two of the routes that one method and some path fit, and that no order decides between. */
export function eachAmbiguousPair<R extends Template>(routes: Iterable<R>, found: (one: R, other: R) => void): void {
  for (const group of alikeBefore(routes).values()) {
    group.sort((one, other) => compareTexts(one.prefix, other.prefix));
    // Those whose prefix begins that of the one at hand. In this order they are behind each other.
    const within: Placed<R>[] = [];
    for (const one of group) {
      while (within.length > 0 && !one.prefix.startsWith((within.at(-1) as Placed<R>).prefix)) within.pop();
      for (const { route, segments, suffix } of within) {
        // Else one holds the other's affixes, or no segment fits both.
        if (suffix.length <= one.suffix.length || !suffix.endsWith(one.suffix)) continue;
        if (areAmbiguousFrom(one.place, segments, one.segments)) found(route, one.route);
      }
      within.push(one);
    }
  }
}

/** By method and by what comes before the parameter: of two that are ambiguous there is one place where they differ first. */
function alikeBefore<R extends Template>(routes: Iterable<R>): Map<string, Placed<R>[]> {
  const groups = new Map<string, Placed<R>[]>();
  for (const route of routes) {
    const segments = templateSegments(route.path);
    let before = route.method;
    for (const [place, segment] of segments.entries()) {
      if (segment.kind === 'parameter' && affixRank(segment) > 0) {
        const group = groups.get(before) ?? [];
        group.push({ route, segments, place, prefix: segment.prefix, suffix: segment.suffix });
        groups.set(before, group);
      }
      before += `/${segmentKey(segment)}`;
    }
  }
  return groups;
}
