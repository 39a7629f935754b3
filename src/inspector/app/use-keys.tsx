// The keys of the whole app, and the small pages that they open.
import { useEffect } from 'preact/hooks';
import { isTakenKey } from '../../viewer/kit/taken-key.tsx';
import { routeHash } from './state/route.ts';
import { go, overlay } from './state/session.tsx';
import { views } from './view-names.tsx';

export function useAppKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k' && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        overlay.value = overlay.value === 'palette' ? undefined : 'palette';
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTakenKey(event)) return;
      if (event.key === '?') overlay.value = 'help';
      else if (event.key === '/') focusSearch(event);
      else {
        const view = views.find((one) => one.key === event.key);
        if (view !== undefined) go(routeHash(view.name));
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('main [data-search]');
  if (field === null) return;
  event.preventDefault();
  field.focus();
  field.select();
}
