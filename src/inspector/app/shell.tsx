// The frame around every view: navigation, the project's name, the state of the live stream, theme, keys, and what lies over the page.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Help } from './help.tsx';
import { Palette } from './palette.tsx';
import { SourceNews } from './source-news.tsx';
import { connection, isOffline, lastSeenMs, project, projectLoad, reconnect } from './state/live.tsx';
import { pageOf, type Route, routeHash } from './state/route.ts';
import { applyTheme, commandProblem, overlay, pageTitle, route, theme } from './state/session.tsx';
import { useAppKeys } from './use-keys.tsx';
import { views } from './view-names.tsx';

const themes = { auto: 'light', light: 'dark', dark: 'auto' } as const;

export function Shell({ children }: { children: ComponentChildren }) {
  useAppKeys();
  // For its name at the side, whatever view comes first.
  projectLoad();
  const here = route.value.view;
  const main = useNewPage(route.value);
  return (
    <div class="shell">
      <header class="side">
        <a class="skip" href={location.hash} onClick={(event) => skipTo(event, main.current)}>
          Skip to content
        </a>
        <div class="brand">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="8" />
            <path d="M8 9h8a7 7 0 0 1 0 14H8z" />
            <circle cx="16" cy="16" r="2.6" />
          </svg>
          <span>
            Drillyard
            <small>{project.value?.world?.title ?? project.value?.world?.id ?? 'inspector'}</small>
          </span>
        </div>
        <nav aria-label="Views">
          {views.map((view) => (
            <a
              key={view.name}
              href={routeHash(view.name)}
              aria-current={view.name === here ? 'page' : undefined}
              aria-keyshortcuts={view.key}
            >
              <svg viewBox="0 0 20 20" aria-hidden="true">
                {view.icon}
              </svg>
              <span>{view.title}</span>
              <span class="key" aria-hidden="true">
                {view.key}
              </span>
            </a>
          ))}
        </nav>
        <div class="side-end">
          <p class={`live ${connection.value}`} role="status">
            {{ open: 'Live', connecting: 'Connecting…', lost: 'Not connected' }[connection.value]}
          </p>
          <button type="button" class="theme find" aria-keyshortcuts="Control+K" onClick={() => (overlay.value = 'palette')}>
            Find… <kbd>Ctrl K</kbd>
          </button>
          <button type="button" class="theme" onClick={() => applyTheme(themes[theme.value])}>
            Theme: {theme.value}
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <Offline />
        <SourceNews />
        <CommandProblem />
        {children}
      </main>
      {overlay.value === 'palette' && <Palette />}
      {overlay.value === 'help' && <Help />}
    </div>
  );
}

function skipTo(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

/** On top of a page whose server is gone: what it shows is from before. */
function Offline() {
  if (!isOffline.value) return null;
  const seen = new Date(lastSeenMs.value ?? 0).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  return (
    <div class="notice bad offline row" role="alert">
      <span class="grow">
        <strong>The inspector does not answer.</strong> Last seen {seen}. Start it again with <code>drillyard inspect</code>.
      </span>
      <button type="button" onClick={reconnect}>
        {connection.value === 'connecting' ? 'Trying…' : 'Try now'}
      </button>
    </div>
  );
}

function CommandProblem() {
  if (commandProblem.value === undefined) return null;
  return (
    <div class="notice bad row" role="alert">
      <span class="grow">{commandProblem.value}</span>
      <button type="button" class="icon" aria-label="Dismiss" onClick={() => (commandProblem.value = undefined)}>
        ✕
      </button>
    </div>
  );
}

/** Screen readers hear another page; not the first one, which the browser announces. Where it is scrolled: state/places.tsx. */
function useNewPage({ view, path }: Route) {
  const main = useRef<HTMLElement>(null);
  const page = pageOf({ view, path });
  const before = useRef(page);
  const title = pageTitle.value ?? [...path.slice(-1), views.find((one) => one.name === view)?.title ?? ''].join(' · ');
  useEffect(() => {
    document.title = `${title} · Drillyard`;
  }, [title]);
  useEffect(() => {
    if (before.current === page) return;
    before.current = page;
    main.current?.focus({ preventScroll: true });
  }, [page]);
  return main;
}
