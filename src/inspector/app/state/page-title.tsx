// The title of the tab while a page is shown: tabs of several runs are distinguished.
import { useEffect } from 'preact/hooks';
import { pageTitle } from './session.tsx';

export function usePageTitle(title: string): void {
  useEffect(() => {
    pageTitle.value = title;
    return () => {
      pageTitle.value = undefined;
    };
  }, [title]);
}
