// The server key over the lives of a data directory: which key the secrets of early versions derive from, and what a rotation ends.

import type { Keyring } from './keyring.js';
import type { ControlServices } from './services.js';
import { defineTable, type View } from './tables.js';

/** The key that control credentials of early versions derive from: the present one when a version with generations first started. */
const keyNoteTable = defineTable<{ name: 'early'; fingerprint: string }>({ name: 'key-note', idOf: ({ name }) => name, indexes: {} });

/** A party that had an earlier key could have made them: they open as long as it is accepted. */
export function acceptsEarlyCredentials(view: View, keyring: Keyring): boolean {
  const note = view.get(keyNoteTable, 'early');
  return note === undefined || keyring.acceptsFingerprint(note.fingerprint);
}

/** At each start, before anything is derived: notes the first key, and rotates where the settings say so. */
export async function takeUpServerKey({ catalog, keyring, settings }: Pick<ControlServices, 'catalog' | 'keyring' | 'settings'>): Promise<void> {
  if (catalog.view.get(keyNoteTable, 'early') === undefined) {
    const { fingerprint } = keyring;
    await catalog.change((tx) => tx.put(keyNoteTable, { name: 'early', fingerprint }));
  }
  if (settings.rotateKey !== undefined) keyring.rotate(settings.rotateKey);
}
