// How a person starts this command line in a folder: a dependency of a project is not on the PATH.
// Under yarn's Plug'n'Play there is no node_modules, and only yarn starts it.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function ownCommand(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'node_modules', 'drillyard', 'package.json'))) return 'npx drillyard';
    if (existsSync(join(at, '.pnp.cjs'))) return 'yarn drillyard';
    if (at === dirname(at)) return 'drillyard';
  }
}
