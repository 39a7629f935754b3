// Cursors of lists: the place where a page ended, sealed, so that a client can keep it and send it again, and not make one.
//   LIST-CURSOR-1. A cursor is good for one list: the purpose names it, and is part of what is sealed.
import { ServiceError } from './errors.js';

/** Binds a text to a purpose with a key that clients do not have. */
export interface CursorSeal {
  seal(purpose: string, text: string): string;
  /** In the same time whatever is given. */
  isSealed(purpose: string, text: string, seal: string): boolean;
}

export function cursorOf(seal: CursorSeal, purpose: string, place: string): string {
  return `${Buffer.from(place).toString('base64url')}.${seal.seal(purpose, place)}`;
}

/** control.CURSOR_INVALID for a cursor that is forged, or of another list. */
export function placeOf(seal: CursorSeal, purpose: string, cursor: string): string {
  const dot = cursor.lastIndexOf('.');
  const text = cursor.slice(0, Math.max(dot, 0));
  const place = Buffer.from(text, 'base64url').toString();
  // Text that merely decodes to the place is not the cursor that was given out.
  const isOurs = dot > 0 && Buffer.from(place).toString('base64url') === text && seal.isSealed(purpose, place, cursor.slice(dot + 1));
  if (!isOurs) throw new ServiceError('control.CURSOR_INVALID', { message: 'The cursor does not belong to this list.' });
  return place;
}
