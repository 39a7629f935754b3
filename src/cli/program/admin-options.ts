// What every subcommand of `drillyard admin` that asks a service takes.
import type { Command } from 'commander';
import { localFolders } from '../../contract/local-folders.js';
import { jsonOption } from './options.js';

export function connectionOptions(to: Command): Command {
  return to
    .option('--url <url>', 'where the service is; default http://127.0.0.1:8787 (DRILLYARD_URL)')
    .option('--token-file <file>', `the operator's token; default ${localFolders.hosted}/operator.token (DRILLYARD_OPERATOR_TOKEN_FILE)`)
    .option('--token <token>', 'the token itself, which others on this machine can then see; better in DRILLYARD_OPERATOR_TOKEN')
    .addOption(jsonOption());
}
