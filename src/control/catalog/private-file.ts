// Files that hold a secret: for their owner alone, whole or not there at all.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ServiceError } from '../../contract/errors.js';
import { diskFull, isDiskFull } from '../../files/disk-full.js';

export interface PrivateFile {
  file: string;
  /** What it is, for messages: `key file`. */
  what: string;
  /** A group may read it, as where an orchestrator mounts secrets. Default: nobody but its owner. */
  groupMayRead?: boolean;
}

/** Its text without the white space around it; undefined when there is none. control.INVALID_REQUEST when others may read it. */
export function readPrivateFile({ file, what, groupMayRead = false }: PrivateFile): string | undefined {
  try {
    const { mode } = statSync(file);
    const open = process.platform !== 'win32' && (mode & (groupMayRead ? 0o027 : 0o077)) !== 0;
    if (!open) return readFileSync(file, 'utf8').trim();
    const octal = (mode & 0o777).toString(8).padStart(3, '0');
    throw refusal(`The ${what} ${file} can be read or written by others (mode ${octal}). Close it: chmod 600 ${file}`);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw refusal(`The ${what} ${file} cannot be read: ${code ?? message}. Let the user of this process read it, or name another file.`);
  }
}

/**
 * Made or replaced: every reader, whatever cuts this short, sees, it is the old text or the new one. control.STORAGE_FULL,
 * control.INVALID_REQUEST for any other cause.
 */
export function writePrivateFile({ file, what }: PrivateFile, text: string): void {
  const made = `${file}.new`;
  try {
    // Of an incarnation that was cut short.
    rmSync(made, { force: true });
    const descriptor = openSync(made, 'wx', 0o600);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(made, file);
    // Before anything rests on it, its name is on the disk too.
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    rmSync(made, { force: true });
    if (isDiskFull(error, dirname(file))) throw diskFull(error);
    const { code, message } = error as NodeJS.ErrnoException;
    throw refusal(`The ${what} ${file} cannot be written: ${code ?? message}. Let the user of this process write it and its folder.`);
  }
}

function refusal(message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message });
}
