// In which boot of the operating system a folder was made. What was not flushed survives the death of a process, never that of the system:
// after another boot such files may be torn.
//   BOOT-MARK-1. A folder is of this boot only where both the system and the mark say so; a system without an id of its boot has none.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileRefusal } from './file-faults.js';

const bootFile = '/proc/sys/kernel/random/boot_id';
const markOf = (directory: string): string => join(directory, 'boot');

/** `bootIdFile`: where the system names its boot, for a test of a system without one. */
export function markBoot(directory: string, bootIdFile = bootFile): void {
  const id = textOf(bootIdFile);
  if (id === undefined) return;
  try {
    writeFileSync(markOf(directory), id);
  } catch (error) {
    throw fileRefusal(`The file ${markOf(directory)} cannot be written`, markOf(directory), error);
  }
}

export function isOfThisBoot(directory: string, bootIdFile = bootFile): boolean {
  const id = textOf(bootIdFile);
  return id !== undefined && textOf(markOf(directory)) === id;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
