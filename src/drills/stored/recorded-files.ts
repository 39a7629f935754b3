// Recorded files against those of the repository: what would change, and writing it.
//   RECORDED-FILES-1. Nothing is written through a link or outside of the root, and nothing that is there is replaced unless who asks
//     says so. All files are written, or none.
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../contract/errors.js';
import type { RecordedFile, Recording } from '../../contract/run/recording.js';
import { writeAllFiles } from '../../files/write-all-files.js';
import { shortestEdits } from './align-turns.js';
import type { ComposedRecording } from './recording.js';

export function againstRepository(root: string, composed: ComposedRecording): Recording {
  return { ...composed, files: composed.files.map(({ path, text }) => againstFile(root, path, text)) };
}

/** Throws control.STATE_CONFLICT where one is there with other content, unless `replace`. */
export function writeRecordedFiles(root: string, files: readonly RecordedFile[], { replace }: { replace: boolean }): void {
  const others = files.filter(({ state }) => state === 'differs').map(({ path }) => path);
  if (others.length > 0 && !replace)
    throw new ServiceError('control.STATE_CONFLICT', {
      message: `${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} there with other content; nothing was written.`,
      details: { files: others },
    });
  const changed = files.filter(({ state }) => state !== 'same');
  for (const { path } of changed) requireInside(root, path);
  writeAllFiles(root, Object.fromEntries(changed.map(({ path, text }) => [path, text])));
}

function againstFile(root: string, path: string, text: string): RecordedFile {
  requireInside(root, path);
  const full = join(root, path);
  const before = existsSync(full) ? readFileSync(full, 'utf8') : undefined;
  const state = before === undefined ? 'new' : before === text ? 'same' : 'differs';
  return { path, text, state, diff: lineDiff(before ?? '', text) };
}

/** Each folder on the way, and the file, is a plain one or not there yet. */
function requireInside(root: string, path: string): void {
  const parts = path.split('/');
  for (const [index, part] of parts.entries()) {
    const stat = lstatSync(join(root, ...parts.slice(0, index + 1)), { throwIfNoEntry: false });
    const isLast = index === parts.length - 1;
    if (part !== '' && part !== '..' && part !== '.' && (stat === undefined || (isLast ? stat.isFile() : stat.isDirectory()))) continue;
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `${parts.slice(0, index + 1).join('/')} is no ${isLast ? 'plain file' : 'folder'} of the repository; nothing is written through it.`,
    });
  }
}

/** Lines with ` `, `-` or `+` before them; of texts that have too little in common, all of one and then all of the other. */
function lineDiff(before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const kept = shortestEdits([old.length, now.length], (row, column) => old[row] === now[column]) ?? [];
  const lines: string[] = [];
  let [row, column] = [0, 0];
  for (const [nextRow, nextColumn] of [...kept, [old.length, now.length] as const]) {
    while (row < nextRow) lines.push(`-${old[row++]}`);
    while (column < nextColumn) lines.push(`+${now[column++]}`);
    if (row < old.length && column < now.length) lines.push(` ${old[row++]}`);
    column++;
  }
  return lines.join('\n');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
