// Paths as they are shown to people: they open from the folder the command was started in.
import { isAbsolute, relative } from 'node:path';

/** Relative where the file is below the current folder, else absolute. */
export function fromHere(path: string): string {
  const below = relative(process.cwd(), path);
  return below === '..' || /^\.\.[\\/]/.test(below) || isAbsolute(below) ? path : below || '.';
}
