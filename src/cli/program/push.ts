// `drillyard push`.
import type { Command } from 'commander';
import { configOption, defined, type Finish, jsonOption, rootOption, type SourceCommandFlags } from './options.js';
import { type RemoteCommandFlags, remoteFlagsOf, withRemote } from './remote-options.js';

export function addPush(program: Command, finish: Finish): void {
  withRemote(
    program.command('push').description('send the source to a project of a hosted service, and build it there; runs nothing'),
    'the service to send it to',
  )
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (flags: SourceCommandFlags & RemoteCommandFlags) => {
      const { pushCommand } = await import('../push-command.js');
      const { root, config, json } = flags;
      finish(await pushCommand({ ...defined({ root, config, json }), remote: remoteFlagsOf(flags) }));
    });
}
