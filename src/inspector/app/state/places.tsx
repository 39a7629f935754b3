// Where each step of the history was scrolled: Back, Forward and a reload show a page as it was left. The browser alone cannot: what was
// in view is loaded after the step, and lists scroll in panes of their own. An entry of the history carries an id; what is known of it lies
// here, and in the storage of the tab while a document is replaced.
// A pane takes part by its name, `data-place`.
//   PLACES-1. A step back or forward, and a reload, end where the entry was left, once what was there is there again, unless the user
//     scrolls or presses something first.
//   PLACES-2. Another page that is no entry of before begins at its top, and so do its panes. What is said further of the same page, such
//     as a selection, moves nothing.
import { LruMap } from '../../../collections/lru-map.js';
import { keepText, keptText } from '../../../viewer/kit/kept-text.tsx';
import { tuning } from '../../tuning.js';
import { pageOf, parseRoute } from './route.ts';

interface Place {
  /** Without what is selected on it. */
  page: string;
  topPx: number;
  panes: { [name: string]: number };
  /** Of a list that is loaded by pages: how many there were. */
  rows: number;
}

const storageKey = 'drillyard.places';
const places = new LruMap<string, Place>({ entriesMax: tuning.placesMax });
let here = '';
let page = '';
let rows = 0;
let returning: AbortController | undefined;

/** Before anything is drawn. */
export function startPlaces(): void {
  const stored = JSON.parse(keptText('sessionStorage', storageKey) ?? '[]') as [string, Place][];
  for (const [id, place] of stored) places.set(id, place);
  history.scrollRestoration = 'manual';
  addEventListener('pagehide', () => {
    keep();
    keepText('sessionStorage', storageKey, JSON.stringify([...places.keys()].map((id) => [id, places.peek(id)])));
  });
  arrive();
}

/** After the address has changed, before the page follows it. */
export function followPlace(): void {
  if (entryId() === here && pageHere() === page) return;
  // It still shows what is left.
  keep();
  arrive();
}

/** For a list that is loaded by pages: how many rows it has, and how many it had when this entry was left. */
export function keepRows(count: number): void {
  rows = count;
}
export function keptRows(): number {
  return places.peek(here)?.rows ?? 0;
}

function arrive(): void {
  returning?.abort();
  const before = page;
  page = pageHere();
  here = entryId() ?? crypto.randomUUID();
  history.replaceState({ place: here }, '');
  const place = places.get(here);
  rows = 0;
  if (place?.page === page) comeBack(place);
  else if (page !== before) show({ page, topPx: 0, panes: {}, rows });
}

function entryId(): string | undefined {
  return (history.state as { place?: string } | null)?.place;
}

function pageHere(): string {
  return pageOf(parseRoute(location.hash));
}

function panes(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('main [data-place]')];
}

function keep(): void {
  // Left before all was there, a page is where it was to come back to.
  if (returning?.signal.aborted === false) return;
  const scrolled = panes().map((pane) => [pane.dataset.place, pane.scrollTop]);
  places.set(here, { page, topPx: scrollY, panes: Object.fromEntries(scrolled), rows });
}

/** Whether all of it could be shown. */
function show({ topPx, panes: wanted }: Place): boolean {
  scrollTo({ top: topPx, behavior: 'instant' });
  let isShown = Math.abs(scrollY - topPx) <= 1;
  const missing = new Set(Object.keys(wanted).filter((name) => wanted[name] !== 0));
  for (const pane of panes()) {
    const paneTop = wanted[pane.dataset.place!] ?? 0;
    pane.scrollTop = paneTop;
    missing.delete(pane.dataset.place!);
    if (Math.abs(pane.scrollTop - paneTop) > 1) isShown = false;
  }
  return isShown && missing.size === 0;
}

/** What is loaded moves what is below it: shown again each frame, until nothing has moved for a while. */
function comeBack(place: Place): void {
  const ended = new AbortController();
  returning = ended;
  const { signal } = ended;
  for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    addEventListener(type, () => ended.abort(), { capture: true, passive: true, signal });
  const lastMs = performance.now() + tuning.placeWaitMs;
  let restedMs = lastMs;
  let isThere = false;
  const look = (nowMs: number): void => {
    if (signal.aborted) return;
    const wasThere = isThere;
    isThere = show(place) && document.querySelector('main .skeleton') === null;
    if (!isThere) restedMs = lastMs;
    else if (!wasThere) restedMs = nowMs + tuning.placeRestMs;
    if (nowMs >= Math.min(restedMs, lastMs)) ended.abort();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
