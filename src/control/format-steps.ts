// How a start takes up a data directory: of its own format as it is, of an earlier one by the steps that lead to it, of another not at all.
//   FORMAT-STEPS-1. A start on a format that this version does not read ends before any record is changed.
//   FORMAT-STEPS-2. Before the first step there is a backup of the data directory, in it: `backups/format-<n>`, which the version that
//     wrote it restores. All steps and the new format are one change: a start that is cut short leaves the earlier format.
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { copyFolderFlushed, flushFolder } from '../files/flushed-copy.js';
import { inDraft, makeDraft, requireSpace } from './backup-folder.js';
import { writeManifest } from './backup-manifest.js';
import type { Catalog } from './catalog/catalog.js';
import type { Change } from './catalog/tables.js';
import { copyCatalog, copyKeys } from './data-copy.js';
import { dataFormat, faultOf, formatOf, formatTable } from './data-format.js';

export interface FormatStep {
  /** It leads to the next one. */
  from: number;
  change(tx: Change): void;
}
/** There is none so far: the first format is the present one. */
const steps: readonly FormatStep[] = [];

export interface FormatPlace {
  dataDirectory: string;
  /** False where others rely on the data: of a cluster. */
  mayMigrate: boolean;
  nowMs(): number;
  /** For a test of formats that it makes. Default: this version's. */
  own?: { format: number; steps: readonly FormatStep[] };
}

/** At each start, before anything is changed. control.STATE_CONFLICT for a format of another version that no steps lead from. */
export async function takeUpFormat(catalog: Catalog, { own = { format: dataFormat, steps }, ...place }: FormatPlace): Promise<void> {
  const { dataDirectory, mayMigrate } = place;
  const format = formatOf(catalog.view);
  const way = wayFrom(format, own);
  if (way === undefined || (way.length > 0 && !mayMigrate)) {
    throw new ServiceError('control.STATE_CONFLICT', {
      message: `The data directory ${dataDirectory} cannot be used: ${faultOf(format)} Nothing was changed.`,
    });
  }
  if (way.length > 0) await backUp(catalog, { ...place, format });
  if (way.length === 0 && catalog.view.get(formatTable, 'data') !== undefined) return;
  await catalog.change((tx) => {
    for (const step of way) step.change(tx);
    tx.put(formatTable, { name: 'data', format: own.format });
  });
}

/** `what`: what was written elsewhere, as the beginning of a sentence. control.STATE_CONFLICT where a start would not take it up. */
export function requireReadableFormat(format: number, what: string): void {
  if (wayFrom(format, { format: dataFormat, steps }) !== undefined) return;
  throw new ServiceError('control.STATE_CONFLICT', { message: `${what} cannot be used: ${faultOf(format)} Nothing was changed.` });
}

/** Undefined where there is none. */
function wayFrom(format: number, own: { format: number; steps: readonly FormatStep[] }): FormatStep[] | undefined {
  const way: FormatStep[] = [];
  for (let at = format; at < own.format; at++) {
    const step = own.steps.find(({ from }) => from === at);
    if (step === undefined) return undefined;
    way.push(step);
  }
  return format > own.format ? undefined : way;
}

/** In place of that of a start that failed: what was there may have changed since. */
async function backUp(catalog: Catalog, { dataDirectory, format, nowMs }: Omit<FormatPlace, 'own'> & { format: number }): Promise<void> {
  const backups = join(dataDirectory, 'backups');
  const to = join(backups, `format-${format}`);
  const draft = `${to}.unfinished`;
  await mkdir(backups, { recursive: true, mode: 0o700 });
  await rm(draft, { recursive: true, force: true });
  makeDraft(draft, to);
  await inDraft(draft, to, async () => {
    await requireSpace(dataDirectory, draft);
    const { signal } = new AbortController();
    const copy = { dataDirectory, draft, copied: () => {}, signal };
    await (await copyCatalog(catalog, copy)).close();
    for (const name of ['worlds', 'blobs', 'evidence']) {
      const from = join(dataDirectory, name);
      if (existsSync(from)) await copyFolderFlushed(from, join(draft, name), copy);
    }
    await copyKeys(copy);
    await flushFolder(draft);
    await writeManifest(draft, { kind: 'service', dataFormat: format, madeAtMs: nowMs() });
    await rm(to, { recursive: true, force: true });
  });
  await flushFolder(dataDirectory);
}
