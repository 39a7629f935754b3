// `drillyard push`.
import type { Command } from 'commander';
import { defined } from '../../contract/defined.js';
import { collect, configOption, type Finish, jsonOption, rootOption, type SourceCommandFlags } from './options.js';
import { type RemoteCommandFlags, remoteFlagsOf, withRemote } from './remote-options.js';

export function addPush(program: Command, finish: Finish): void {
  withRemote(
    program.command('push').description('send the source to a project of a hosted service, and build it there; runs nothing'),
    'the service to send it to',
  )
    .option('--dataset <file>', 'rows that become a dataset of the project, as JSON (repeatable); see docs/cli.md', collect, [])
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (flags: SourceCommandFlags & RemoteCommandFlags & { dataset: string[] }) => {
      const { pushCommand } = await import('../push-command.js');
      const { root, config, json, dataset: datasets } = flags;
      finish(await pushCommand({ ...defined({ root, config, json }), datasets, remote: remoteFlagsOf(flags) }));
    });
}
