// Paths a target declares, kept inside the repository: links included.
import { realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';

/** The real path, or undefined when it does not exist or leads out of the root. */
export function pathInside(root: string, path: string): string | undefined {
  try {
    const realRoot = realpathSync(root);
    const real = realpathSync(resolve(realRoot, path));
    return real === realRoot || real.startsWith(realRoot + sep) ? real : undefined;
  } catch {
    return undefined;
  }
}

/** As `pathInside`, and undefined too where a link lies on the way from the root. */
export function linkFreePath(root: string, path: string): string | undefined {
  const real = pathInside(root, path);
  return real !== undefined && real === resolve(realpathSync(root), path) ? real : undefined;
}
