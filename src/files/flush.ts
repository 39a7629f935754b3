// Puts what was written of an open file, or the names in an open folder, on the disk. By its descriptor: Yarn's Plug'n'Play stands in for
// `fs`, and its open files have no `sync`.
import { fsync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';

const flushDescriptor = promisify(fsync);

export async function flush(file: Pick<FileHandle, 'fd'>): Promise<void> {
  await flushDescriptor(file.fd);
}
