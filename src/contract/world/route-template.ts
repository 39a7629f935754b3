// The paths that a wire route answers: what its template says, and which of two templates answers a path that both fit.
// Of the segments at one place a literal goes before an affixed parameter, that before a plain one, and that before a rest. The leftmost
// place where two templates differ decides.

/** One segment. A rest stands for one or more of them, empty ones too where one is not. */
export type TemplateSegment =
  | { kind: 'literal'; text: string }
  | { kind: 'parameter'; name: string; prefix: string; suffix: string }
  | { kind: 'rest'; name: string };
export type Affixes = Pick<Extract<TemplateSegment, { kind: 'parameter' }>, 'prefix' | 'suffix'>;

/** As it is written; braces that name nothing are literal. */
export function segmentOf(text: string): TemplateSegment {
  const rest = /^\{(\w+)\.\.\.\}$/.exec(text)?.[1];
  if (rest !== undefined) return { kind: 'rest', name: rest };
  const [, prefix, name, suffix] = /^([^{}]*)\{(\w+)\}([^{}]*)$/.exec(text) ?? [];
  if (name === undefined) return { kind: 'literal', text };
  return { kind: 'parameter', name, prefix: prefix as string, suffix: suffix as string };
}
export function templateSegments(path: string): TemplateSegment[] {
  return path.slice(1).split('/').map(segmentOf);
}

/** What is wrong with a template, to be said of it. */
export function templateFault(path: string): string | undefined {
  const names = new Set<string>();
  let rest: string | undefined;
  for (const text of path.split('/').slice(1)) {
    const segment = segmentOf(text);
    if (segment.kind === 'literal') {
      if (/[{}?#\s]/.test(text))
        return `has the segment '${text}'; a parameter is one in braces in a segment, as {name}, or {name...} for the rest of the path`;
      continue;
    }
    if (rest !== undefined) return `has a parameter after '{${rest}...}', which only literal segments may follow`;
    if (/^\d/.test(segment.name)) return `names the parameter '${segment.name}', which begins with a digit`;
    if (names.has(segment.name)) return `names the parameter '${segment.name}' twice`;
    if (segment.kind === 'parameter' && /[?#\s]/.test(segment.prefix + segment.suffix)) return `has the segment '${text}'`;
    names.add(segment.name);
    if (segment.kind === 'rest') rest = segment.name;
  }
  return path.length > 1 && path.includes('//') ? 'has an empty segment' : undefined;
}

/** What the templates of two routes must differ in: names of parameters do not count. */
export function templateKey(path: string): string {
  return templateSegments(path).map(segmentKey).join('/');
}
export function segmentKey(segment: TemplateSegment): string {
  if (segment.kind === 'literal') return segment.text;
  return segment.kind === 'rest' ? '{...}' : `${segment.prefix}{}${segment.suffix}`;
}

/**
 * Of two templates that are alike up to this place: whether some path fits both and no order decides between them. Both have a parameter
 * with affixes there that may be those of one segment, and neither holds the other's. Of many templates: ambiguous-routes.ts.
 */
export function areAmbiguousFrom(place: number, left: readonly TemplateSegment[], right: readonly TemplateSegment[]): boolean {
  const [a, b] = [left[place], right[place]];
  if (a?.kind !== 'parameter' || b?.kind !== 'parameter') return false;
  if (affixRank(a) === 0 || affixRank(b) === 0 || !mayMeet(a, b)) return false;
  if (isWithin(a, b) || isWithin(b, a)) return false;
  return restsMayMeet(left, right, place + 1);
}

/** Of two affixed parameters at one place, the longer affixes are tried first: what holds the other's is longer. */
export const affixRank = ({ prefix, suffix }: Affixes): number => prefix.length + suffix.length;

/** A parameter stands for at least one character. */
export function fitsAffixes(segment: string, { prefix, suffix }: Affixes): boolean {
  return segment.length > prefix.length + suffix.length && segment.startsWith(prefix) && segment.endsWith(suffix);
}

const mayMeet = (a: Affixes, b: Affixes): boolean =>
  (a.prefix.startsWith(b.prefix) || b.prefix.startsWith(a.prefix)) && (a.suffix.endsWith(b.suffix) || b.suffix.endsWith(a.suffix));
const isWithin = (inner: Affixes, outer: Affixes): boolean => inner.prefix.startsWith(outer.prefix) && inner.suffix.endsWith(outer.suffix);

/** Whether some path fits both of what they have from this place on. */
function restsMayMeet(left: readonly TemplateSegment[], right: readonly TemplateSegment[], from: number): boolean {
  // A rest is the last parameter, and may stand for whatever the other has.
  const hasRest = (segments: readonly TemplateSegment[]): boolean => segments.some(({ kind }, index) => index >= from && kind === 'rest');
  if (hasRest(left) || hasRest(right)) return true;
  if (left.length !== right.length) return false;
  return left.every((segment, index) => index < from || segmentsMayMeet(segment, right[index] as TemplateSegment));
}
function segmentsMayMeet(a: TemplateSegment, b: TemplateSegment): boolean {
  if (a.kind === 'rest' || b.kind === 'rest') return true;
  if (a.kind === 'literal') return b.kind === 'literal' ? a.text === b.text : fitsAffixes(a.text, b);
  return b.kind === 'literal' ? fitsAffixes(b.text, a) : mayMeet(a, b);
}
