// The commands that the terminal shows, as they start from the present folder.
import { join, resolve } from 'node:path';
import type { CommandPlace } from '../reports/command-place.js';
import { usualReports } from '../reports/report-path.js';
import { fromHere } from './from-here.js';
import { ownCommand } from './own-command.js';
import { shellWord } from './shell-word.js';

export function commandsHere({ root: named, config }: { root: string; config?: string | undefined }): CommandPlace {
  const root = resolve(named);
  const here = resolve('.');
  return {
    own: ownCommand(here),
    flags: `${root === here ? '' : ` --root ${shellWord(named)}`}${config === undefined ? '' : ` --config ${shellWord(config)}`}`,
    // A run is found by its id in the usual folder alone.
    runName: (runId, folder) => (resolve(folder) === join(usualReports(root), runId) ? runId : shellWord(fromHere(resolve(folder)))),
  };
}
