// `drillyard admin restore`: without a service, which is started on what it makes.
import type { Command } from 'commander';
import { localFolders } from '../../contract/local-folders.js';
import type { RestoreFlags } from '../restore-command.js';
import { type Finish, jsonOption } from './options.js';

export function addRestore(admin: Command, finish: Finish): void {
  clusterOptions(
    admin
      .command('restore')
      .description('make a data directory, or a cluster in an empty database, from a backup')
      .requiredOption('--from <folder>', 'the backup')
      .option('--data-dir <folder>', `missing or empty; default ${localFolders.hosted} (DRILLYARD_DATA_DIR)`),
  )
    .addOption(jsonOption())
    .action(async (flags: RestoreFlags) => {
      const { restoreCommand } = await import('../restore-command.js');
      finish(await restoreCommand(flags));
    });
}

export function clusterOptions(command: Command): Command {
  return command
    .option('--cluster <url>', 'of a cluster: its database (DRILLYARD_CLUSTER)')
    .option('--cluster-store <url>', 'where its snapshots and blobs lie, if not in the database (DRILLYARD_CLUSTER_STORE)');
}
