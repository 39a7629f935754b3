// `drillyard run`, the default command.
import { type Command, Option } from 'commander';
import { configOption, defined, type Finish, jsonOption, rootOption, type SourceCommandFlags } from './options.js';
import { type SelectionFlags, selection, withSelection } from './selection.js';

interface RunCommandFlags extends SourceCommandFlags, SelectionFlags {
  reporter: 'terminal' | 'json' | 'none';
  isolate: 'thread' | 'process';
  failFast: boolean;
  reportDir: string;
  runDir: string;
  allowRemote: boolean;
  external: boolean;
  externalFile?: string;
}

export function addRun(program: Command, finish: Finish): void {
  withSelection(program.command('run', { isDefault: true }).description('run drills (the default command)'))
    .addOption(new Option('--isolate <where>', 'where tool code and module targets run').choices(['thread', 'process']).default('thread'))
    .addOption(new Option('--reporter <name>', 'what stdout shows').choices(['terminal', 'json', 'none']).default('terminal'))
    .option('--allow-remote', 'http targets may be on other machines', false)
    .option('--external', 'external targets are whoever asks the agent desk, whose address stdout tells; see docs/targets.md', false)
    .option('--external-file <file>', 'the same, with its address and token in this file (mode 0600) and no secret on stdout')
    .option('--fail-fast', 'start no further attempts once a drill has failed', false)
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .option('--report-dir <folder>', 'where reports go, relative to the repository', '.service/reports')
    .option('--run-dir <folder>', 'where worlds are kept, relative to the repository', '.service/runs')
    .action(async (drills: string[], flags: RunCommandFlags) => {
      const { runCommand } = await import('../run-command.js');
      const { root, config, json, reporter, isolate, failFast, reportDir, runDir, allowRemote, external, externalFile } = flags;
      const options = { root, config, json, reporter, isolate, stopOnFailure: failFast, reportDirectory: reportDir, runDirectory: runDir };
      const agents = { allowRemote, external, externalFile };
      finish(await runCommand({ ...defined(options), ...defined(agents), ...selection(drills, flags) }));
    });
}
