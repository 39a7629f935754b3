// Where in the app one is: the part of the address behind `#`. Pure, so that every deep link can be tested without a browser.
export type ViewName = 'world' | 'drills' | 'runs' | 'compare' | 'play' | 'source';

export interface Route {
  view: ViewName;
  /** `#/runs/<id>`: the path behind the view, decoded. */
  path: string[];
  query: { [name: string]: string };
}

const views: readonly ViewName[] = ['world', 'drills', 'runs', 'compare', 'play', 'source'];

/** An address nobody knows is the front page: an old link must not be a blank one. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = splitOnce(hash.replace(/^#\/?/, ''), '?');
  const [view, ...rest] = path.split('/').filter((part) => part !== '');
  const known = views.find((name) => name === view);
  if (known === undefined) return { view: 'drills', path: [], query: {} };
  return { view: known, path: rest.map(decoded), query: Object.fromEntries(new URLSearchParams(query)) };
}

/** Which page it is, apart from its query. */
export function pageOf({ view, path }: { view: ViewName; path: readonly string[] }): string {
  return [view, ...path.map(encodeURIComponent)].join('/');
}

export function routeHash(
  view: ViewName,
  path: readonly string[] = [],
  query: { [name: string]: string | number | undefined } = {},
): string {
  const members = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') members.set(name, String(value));
  const search = members.toString();
  return `#/${pageOf({ view, path })}${search === '' ? '' : `?${search}`}`;
}

export function runHash(runId: string, query: { seq?: number; assertion?: string } = {}): string {
  return routeHash('runs', [runId], query);
}

/** The token a fragment hands over (`#token=...`, with or without a page behind it) and what is left of the fragment. */
export function takeToken(hash: string): { token: string; rest: string } | undefined {
  const match = /(?:^#|[?&#/])token=([^&]+)/.exec(hash);
  if (match === null) return undefined;
  const rest = hash.replace(/[?&]?token=[^&]+&?/, '').replace(/[?&]$/, '');
  return { token: decoded(match[1]!), rest: rest === '#' || rest === '#/' ? '' : rest };
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
