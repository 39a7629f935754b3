// Whether the page is being printed: paper does not scroll, and what is drawn only in view is drawn for it then.
import { useEffect, useState } from 'preact/hooks';

export function usePrinted(): boolean {
  const [isPrinted, setIsPrinted] = useState(false);
  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    addEventListener('beforeprint', () => setIsPrinted(true), { signal });
    addEventListener('afterprint', () => setIsPrinted(false), { signal });
    return () => ended.abort();
  }, []);
  return isPrinted;
}
