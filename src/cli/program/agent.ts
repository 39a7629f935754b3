// `drillyard agent`: the agent's side of `drillyard run --external`, a subcommand each.
import type { Command } from 'commander';
import { defined } from '../../contract/defined.js';
import { collect, type Finish, integer } from './options.js';

interface NextFlags {
  wait?: number;
  again: boolean;
  file?: string;
}
interface CompleteFlags {
  failed?: string;
  log?: string;
  usage?: string;
  attach: string[];
  file?: string;
}

export function addAgent(program: Command, finish: Finish): void {
  const agent = program
    .command('agent')
    .description('play the agent of external targets: needs the file of `run --external-file`; answers are JSON');
  agent
    .command('next')
    .description('wait for an interaction and print it with its connection; 1 when there is none')
    .option('--wait <ms>', 'at most so long; default: as long as the run', integer)
    .option('--again', 'one that was handed out already will do', false)
    .option('--file <file>', 'of the agent desk; default: SERVICE_AGENT_FILE')
    .action(async ({ wait, again, file }: NextFlags) => {
      const { agentNext } = await import('../agent-command.js');
      finish(await agentNext({ again, ...defined({ waitMs: wait, file }) }));
    });
  agent
    .command('complete')
    .description('hand in the result of an interaction')
    .argument('<runId>')
    .argument('<interactionId>')
    .argument('[output]', 'JSON; - reads it from stdin')
    .option('--failed <why>', 'the agent could not do it')
    .option('--log <file>', 'what it said')
    .option('--usage <json>', 'what it used: inputTokens, outputTokens, cachedInputTokens, modelCalls, costUsd')
    .option('--attach <file>', 'a file to keep with the run (repeatable)', collect, [])
    .option('--file <file>', 'of the agent desk; default: SERVICE_AGENT_FILE')
    .action(
      async (runId: string, interactionId: string, output: string | undefined, { failed, log, usage, attach, file }: CompleteFlags) => {
        const { agentComplete } = await import('../agent-command.js');
        finish(await agentComplete({ runId, interactionId, attach, ...defined({ output, failed, log, usage, file }) }));
      },
    );
}
