// What the owner of homes tells who may change the catalog.
import type { Strike } from './guard/quarantine-records.js';
import type { StorageFigure } from './memory/storage-watch.js';

export type OwnerReport =
  | { kind: 'strike'; strike: Strike['kind']; sessionId: string }
  | { kind: 'storage'; figures: readonly StorageFigure[] };
