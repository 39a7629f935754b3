// Files in which bytes that nobody wrote have no place on the disk yet.
import { readSync, writeSync } from 'node:fs';
import { tuning } from './tuning.js';

/**
 * Gives them one: what is zero is written as zero, up to so many bytes, which changes nothing else. `file`: its descriptor, to read and
 * write. Throws as a write does.
 */
export function fillHoles(file: number, bytes: number): void {
  const piece = Buffer.alloc(tuning.madePageBytes);
  const nothing = Buffer.alloc(tuning.madePageBytes);
  for (let at = 0; at < bytes; at += piece.length) {
    const length = Math.min(piece.length, bytes - at);
    piece.fill(0);
    readSync(file, piece, 0, length, at);
    if (piece.equals(nothing)) writeSync(file, nothing, 0, length, at);
  }
}
