// Where one path lies in another.
import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is the folder or lies below it, by their names alone; both absolute. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
