// `drillyard tool`: what can be done with tool packages, a subcommand each.
import { type Command, Option } from 'commander';
import { defined, type Finish, integer, jsonOption } from './options.js';

export function addTool(program: Command, finish: Finish): void {
  const tool = program.command('tool').description('work on tool packages');
  tool
    .command('test')
    .description("run a package's conformance suite, once as it is and once in amnesia")
    .argument('<package>', 'the folder of the package, or library:<id>')
    .addOption(
      new Option('--isolate <where>', 'where tool code runs (default: thread; box for an installed package)').choices(['thread', 'process', 'box']),
    )
    .option('--config <file>', 'the root file of its conformance project, from here or relative to that project (default: drillyard.json)')
    .option('--concurrency <n>', 'attempts at once', integer)
    .addOption(jsonOption())
    .action(async (tested: string, { json, config, isolate, concurrency }) => {
      const { toolTestCommand } = await import('../tool-test-command.js');
      finish(await toolTestCommand({ tool: tested, json, ...defined({ config, isolate, concurrency }) }));
    });
}
