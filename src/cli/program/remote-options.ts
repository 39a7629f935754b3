// What names a hosted service, for every command that uses one.
import { type Command, Option } from 'commander';
import { defined } from '../../contract/defined.js';
import type { RemoteFlags } from '../remote-flags.js';

export interface RemoteCommandFlags extends Omit<RemoteFlags, 'url'> {
  /** `true`: the one that the root file names. */
  remote?: string | true;
}

export function withRemote(command: Command, description: string): Command {
  return command
    .addOption(new Option('--remote [url]', `${description}; without a URL that of DRILLYARD_REMOTE, or of the root file`))
    .option('--token-file <file>', 'the credential for it, in a file that others cannot read; default: DRILLYARD_TOKEN')
    .option('--project <id>', "its project; default: the root file's, or the only one")
    .option('--environment <id>', "where sessions are created; default: the root file's, or the first that is active")
    .option('--draft <name>', "the source draft; default: the root file's, or the id of the world");
}

export function remoteFlagsOf({ remote, tokenFile, project, environment, draft }: RemoteCommandFlags): RemoteFlags {
  return defined({ url: remote === true ? undefined : remote, tokenFile, project, environment, draft });
}
