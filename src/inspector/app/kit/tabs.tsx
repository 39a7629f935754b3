// The parts of a page as links, of which one is current.
import { useEffect, useRef } from 'preact/hooks';

export interface Tab {
  name: string;
  href: string;
  title: string;
  count?: number | undefined;
}

export function Tabs({ label, tabs, current }: { label: string; tabs: readonly Tab[]; current: string }) {
  const here = useRef<HTMLAnchorElement>(null);
  // On a narrow screen they do not all fit, and what the address names may be one of the others.
  useEffect(() => here.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [current]);
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, href, title, count }) => (
        <a key={name} href={href} ref={name === current ? here : null} aria-current={name === current ? 'true' : undefined}>
          {title} {count !== undefined && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}
