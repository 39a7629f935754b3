// `drillyard inspect`: the local inspector.
import { type Command, InvalidArgumentError } from 'commander';
import { defined } from '../../contract/defined.js';
import { limits } from '../../contract/limits.js';
import { localFolders } from '../../contract/local-folders.js';
import { configOption, type Finish, jsonOption, receiverOption, rootOption, type SourceCommandFlags } from './options.js';

interface InspectCommandFlags extends SourceCommandFlags {
  port?: number;
  open: boolean;
  receiver: string[];
  reportDir: string;
  runDir: string;
}
export function addInspect(program: Command, finish: Finish): void {
  program
    .command('inspect')
    .description('open the local inspector: the repository, its runs, and a world to play with')
    .argument('[run]', `what it opens with: the id of a run, 'latest', 'latest~1', or an invocation`)
    .option(
      '--port <n>',
      'where to listen, on loopback; 0: any that is free (default: one that is the same for the repository)',
      portNumber,
    )
    .option('--no-open', 'do not open a browser')
    .addOption(receiverOption())
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .option('--report-dir <folder>', 'where reports are, relative to the repository', localFolders.reports)
    .option('--run-dir <folder>', 'where worlds are kept, relative to the repository', localFolders.runs)
    .action(async (run: string | undefined, { port, open, receiver, json, root, config, reportDir, runDir }: InspectCommandFlags) => {
      const { inspectCommand } = await import('../inspect-command.js');
      const options = {
        run,
        port: port ?? ('repository' as const),
        open,
        receivers: receiver,
        json,
        root,
        config,
        reportDirectory: reportDir,
        runDirectory: runDir,
      };
      finish(await inspectCommand(defined(options)));
    });
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= limits.portMax) return port;
  throw new InvalidArgumentError(`It must be an integer from 0 to ${limits.portMax}; 0 takes any port that is free.`);
}
