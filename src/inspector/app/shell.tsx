// The frame around every view: navigation, the project's name, the state of the live stream, theme, keys.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isTyping } from '../../viewer/kit/typing.tsx';
import { connection, project, projectLoad } from './state/live.tsx';
import { routeHash, type ViewName } from './state/route.ts';
import { applyTheme, go, route, theme } from './state/session.tsx';

export const views: { name: ViewName; title: string; key: string; icon: JSX.Element }[] = [
  {
    name: 'world',
    title: 'World',
    key: '1',
    icon: (
      <path d="M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15ZM2.5 10h15M10 2.5c2.4 2.2 3.4 4.7 3.4 7.5s-1 5.3-3.4 7.5c-2.4-2.2-3.4-4.7-3.4-7.5s1-5.3 3.4-7.5Z" />
    ),
  },
  { name: 'drills', title: 'Drills', key: '2', icon: <path d="M3 5.5 4.5 7 7 4M3 14.5 4.5 16 7 13M10 5.5h7.5M10 14.5h7.5" /> },
  { name: 'runs', title: 'Runs', key: '3', icon: <path d="M2.5 6h9M6 10h11.5M4 14h7M14.5 4v4M3 8.2v3.6M14 12v4" /> },
  {
    name: 'compare',
    title: 'Compare',
    key: '4',
    icon: <path d="M3 4h5.5v12H3zM11.5 4H17v12h-5.5zM5 8h1.5M5 11h1.5M13.5 8H15m-1.5 3H15" />,
  },
  { name: 'play', title: 'Play', key: '5', icon: <path d="M6 3.8v12.4L16 10z" /> },
  { name: 'source', title: 'Source', key: '6', icon: <path d="m6.5 5.5-4 4.5 4 4.5m7-9 4 4.5-4 4.5M11.5 4l-3 12" /> },
];

const themes = { auto: 'light', light: 'dark', dark: 'auto' } as const;

export function Shell({ children }: { children: ComponentChildren }) {
  useViewKeys();
  // For its name at the side, whatever view comes first.
  projectLoad();
  const here = route.value.view;
  const main = useFocusOnNewView(here);
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
          <button type="button" class="theme" onClick={() => applyTheme(themes[theme.value])}>
            Theme: {theme.value}
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        {children}
      </main>
    </div>
  );
}

function skipTo(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

/** A new view starts at its top, and screen readers hear it; not on the first one, which the browser announces. */
function useFocusOnNewView(view: ViewName) {
  const main = useRef<HTMLElement>(null);
  const before = useRef(view);
  useEffect(() => {
    const title = views.find((one) => one.name === view)?.title ?? '';
    document.title = `${title} · Drillyard`;
    if (before.current === view) return;
    before.current = view;
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [view]);
  return main;
}

function useViewKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const view = views.find((one) => one.key === event.key);
      if (view !== undefined) go(routeHash(view.name));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
