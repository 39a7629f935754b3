// The views, in their order: name, key and picture.
import type { JSX } from 'preact';
import type { ViewName } from './state/route.ts';

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
