// The server key over the incarnations of a data directory: that it is the key the data was made with, which key the secrets of early
// versions derive from, and what a rotation ends.
//   SERVER-KEY-1. The catalog names the key that it was last used with. A start with a key that neither is that one nor descends from it
//     ends, unless it asks for another key: then that one takes its place.
import { ServiceError } from '../../contract/errors.js';
import { dataDamaged } from '../../files/database.js';
import { keyAdvice } from '../catalog/key-file.js';
import type { Keyring } from '../catalog/keyring.js';
import type { ControlSettings } from '../catalog/settings.js';
import { type Change, defineTable, type View } from '../catalog/tables.js';
import type { ControlServices } from './services.js';

/**
 * `early`: the key that control credentials of early versions derive from, the present one when a version with generations first started.
 * `present`: the key of the last start or rotation.
 */
export interface KeyNote {
  name: 'early' | 'present';
  fingerprint: string;
}
export const keyNoteTable = defineTable<KeyNote>({ name: 'key-note', idOf: ({ name }) => name, indexes: {} });

/** A party that had an earlier key could have made them: they open as long as it is accepted. */
export function acceptsEarlyCredentials(view: View, keyring: Keyring): boolean {
  const note = view.get(keyNoteTable, 'early');
  return note === undefined || keyring.acceptsFingerprint(note.fingerprint);
}

/** Whether the data was made with another key; false where nobody has noted which one. */
export function isOtherKey(view: View, keyring: Pick<Keyring, 'descendsFrom'>): boolean {
  const note = view.get(keyNoteTable, 'present');
  return note !== undefined && !keyring.descendsFrom(note.fingerprint);
}

/** Part of the change that follows a rotation. */
export function noteServerKey(tx: Change, { fingerprint }: Keyring): void {
  if (tx.get(keyNoteTable, 'early') === undefined) tx.put(keyNoteTable, { name: 'early', fingerprint });
  if (tx.get(keyNoteTable, 'present')?.fingerprint !== fingerprint) tx.put(keyNoteTable, { name: 'present', fingerprint });
}

/**
 * Before the key is read, where several machines share the catalog: one file for all of them, which none of them makes or changes alone.
 * control.INVALID_REQUEST.
 */
export function requireSharedKey({ keyFile, rotateKey }: Pick<ControlSettings, 'keyFile' | 'rotateKey'>): void {
  if (keyFile !== undefined && rotateKey === undefined) return;
  const message =
    keyFile === undefined
      ? 'The nodes of a cluster share one server key. Name its file on each of them with --key-file.'
      : 'The key of a cluster cannot be rotated: its nodes share it. Start without --rotate-key.';
  throw new ServiceError('control.INVALID_REQUEST', { message });
}

/** At each start, before anything is derived. control.DATA_DAMAGED for a key that is not of this data. */
export async function takeUpServerKey({
  catalog,
  keyring,
  settings,
}: Pick<ControlServices, 'catalog' | 'keyring' | 'settings'>): Promise<void> {
  const isOther = isOtherKey(catalog.view, keyring);
  if (isOther && settings.rotateKey === undefined) {
    throw dataDamaged(keyring.path, 'it is not the key that this data directory was used with', keyAdvice);
  }
  await catalog.change((tx) => {
    if (!isOther) noteServerKey(tx, keyring);
  });
  if (settings.rotateKey === undefined) return;
  if (!isOther) keyring.rotate(settings.rotateKey);
  await catalog.change((tx) => noteServerKey(tx, keyring));
}
