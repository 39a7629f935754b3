// What lasts while the tab is open: the token (out of the address, into session storage), the theme, and where in the app one is.
import { signal } from '@preact/signals';
import { keepText, keptText } from '../../../viewer/kit/kept-text.tsx';
import { ApiClient } from './client.ts';
import { followPlace } from './places.tsx';
import { pageOf, parseRoute, takeToken } from './route.ts';

const tokenKey = 'drillyard.token';
const themeKey = 'drillyard.theme';

export type Theme = 'auto' | 'light' | 'dark';

export const token = signal(takenToken());
/** The server did not accept the last token. */
export const isRefused = signal(false);
let refusedToken = '';
export const route = signal(parseRoute(location.hash));
export const theme = signal(storedTheme());
/** What a page is about, where it says so: `✗ careless-refund #24`. */
export const pageTitle = signal<string | undefined>(undefined);
/** What lies over the page. */
export const overlay = signal<'palette' | 'help' | undefined>(undefined);
/** Why the last command of the palette came to nothing. */
export const commandProblem = signal<string | undefined>(undefined);
/** The last run of which something was not there, and how often in a row. */
export const missing = signal({ runId: '', times: 0 });
export const client = new ApiClient(() => token.value, { onRefused: forgetToken, onMissing: noteMissing });

/** Before anything is drawn or fetched: the token leaves the address bar and the history entry. */
function takenToken(): string {
  const taken = takeToken(location.hash);
  if (taken === undefined) return keptText('sessionStorage', tokenKey) ?? '';
  keepText('sessionStorage', tokenKey, taken.token);
  history.replaceState(null, '', location.pathname + taken.rest);
  return taken.token;
}

/**
 * Tabs of this server share its token: a link opened in a new tab asks those that have it, and a tab whose token was refused takes the one
 * that a newer start handed to another. Only pages of the same address hear it.
 */
export function shareToken(): void {
  const channel = new BroadcastChannel(tokenKey);
  channel.onmessage = ({ data }: MessageEvent<{ asked: true } | { token: string }>) => {
    if ('asked' in data) {
      if (token.value !== '') channel.postMessage({ token: token.value });
    } else if (token.value === '' && data.token !== refusedToken) enterToken(data.token);
  };
  token.subscribe((value) => channel.postMessage(value === '' ? { asked: true } : { token: value }));
}

export function enterToken(text: string): void {
  const given = takeToken(text)?.token ?? text.trim();
  keepText('sessionStorage', tokenKey, given);
  isRefused.value = false;
  token.value = given;
}

/** After a refusal: what comes next is the gate, which says so. That of an earlier token may come when there is another. */
function forgetToken(refused: string): void {
  if (refused !== token.value) return;
  isRefused.value = true;
  refusedToken = refused;
  keepText('sessionStorage', tokenKey, undefined);
  token.value = '';
}

function noteMissing(runId: string): void {
  const { runId: before, times } = missing.value;
  missing.value = { runId, times: before === runId ? times + 1 : 1 };
}

function storedTheme(): Theme {
  const stored = keptText('localStorage', themeKey);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}

export function applyTheme(next: Theme): void {
  theme.value = next;
  keepText('localStorage', themeKey, next === 'auto' ? undefined : next);
  if (next === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
}

export function followAddress(): void {
  addEventListener('hashchange', () => {
    const taken = takeToken(location.hash);
    if (taken !== undefined) {
      enterToken(taken.token);
      history.replaceState(null, '', location.pathname + taken.rest);
    }
    followPlace();
    // The event of a step that `go` took comes late: what was opened since stays open.
    if (location.hash !== wentTo) overlay.value = undefined;
    route.value = parseRoute(location.hash);
  });
}

/** Where `go` went last. */
let wentTo: string | undefined;

/** Goes to an address of the app; `replace` leaves no step back. */
export function go(hash: string, { replace = false } = {}): void {
  if (replace) history.replaceState(history.state, '', hash);
  else location.hash = hash;
  wentTo = location.hash;
  followPlace();
  // The event comes later, and what is due before it must not take the page for the one before.
  route.value = parseRoute(hash);
}

/** Whether the page that is shown now still is: what was asked for on it must not take away who has left it meanwhile. */
export function pageWatch(): () => boolean {
  const page = pageOf(route.value);
  return () => pageOf(route.value) === page;
}

/**
 * Says more of the page that is shown, such as a selection that moves; leaves no step back. What was typed or dragged says so a moment
 * later: of a page that has been left meanwhile it says nothing.
 */
export function refine(hash: string): void {
  if (pageOf(parseRoute(location.hash)) === pageOf(parseRoute(hash))) go(hash, { replace: true });
}
