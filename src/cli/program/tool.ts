// `drillyard tool`: what can be done with tool packages, a subcommand each.
import { type Command, Option } from 'commander';
import { defined } from '../../contract/defined.js';
import { collect, configOption, type Finish, integer, jsonOption, rootOption, type SourceCommandFlags } from './options.js';

export function addTool(program: Command, finish: Finish): void {
  const tool = program.command('tool').description('work on tool packages');
  addLooks(tool, finish);
  addAdd(tool, finish);
  tool
    .command('test')
    .description("run a package's conformance suite, once as it is and once with a fresh module each turn")
    .argument('<package>', 'the folder of the package, or library:<id>')
    .addOption(isolateOption())
    .option('--config <file>', 'the root file of its conformance project, from here or relative to that project (default: drillyard.json)')
    .option('--concurrency <n>', 'attempts at once', integer)
    .option('--require-coverage', 'fail where the manifest declares what no drill has shown', false)
    .addOption(jsonOption())
    .action(async (tested: string, { json, config, isolate, concurrency, requireCoverage }) => {
      const { toolTestCommand } = await import('../tool-test-command.js');
      finish(await toolTestCommand({ tool: tested, json, requireCoverage, ...defined({ config, isolate, concurrency }) }));
    });
  tool
    .command('verify')
    .description("prove a package against its vendor's own client, as its compat/compat.ts says")
    .argument('<package>', 'the folder of the package, or library:<id>')
    .option('--write', 'write COMPAT.md and compat/members.json where nothing else is wrong', false)
    .option('--date <date>', 'with --write: the date of the page, YYYY-MM-DD (default: the date that it has)')
    .addOption(isolateOption())
    .option('--config <file>', 'the root file of its conformance project, from here or relative to that project (default: drillyard.json)')
    .option('--concurrency <n>', 'attempts at once', integer)
    .addOption(jsonOption())
    .action(async (verified: string, { json, write, date, config, isolate, concurrency }) => {
      const { toolVerifyCommand } = await import('../tool-verify-command.js');
      finish(await toolVerifyCommand({ tool: verified, json, write, ...defined({ date, config, isolate, concurrency }) }));
    });
  tool
    .command('create')
    .alias('new')
    .description('write a tool package into the repository: a manifest and a behavior that answer at once')
    .argument('<id>', 'of the package; its folder is tools/<id> below the source root')
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (id: string, { root, config }: SourceCommandFlags) => {
      const { toolNewCommand } = await import('../tool-new-command.js');
      finish(await toolNewCommand({ id, root, ...defined({ config }) }));
    });
  tool
    .command('types')
    .description("write TypeScript types of the repository's tools, made from their manifests")
    .option('--tool <id>', 'of this tool package alone (repeatable)', collect, [])
    .option('--out <file>', 'write them there, relative to the repository; default: to stdout')
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async ({ tool: tools, out, root, config, json }: SourceCommandFlags & { tool: string[]; out?: string }) => {
      const { toolTypesCommand } = await import('../tool-types-command.js');
      finish(await toolTypesCommand({ tools, root, json, ...defined({ out, config }) }));
    });
}

function addAdd(tool: Command, finish: Finish): void {
  tool
    .command('add')
    .description('add a tool package to the repository, pinned by its digest, or pin it again; runs nothing of it')
    .argument('<package>', 'a folder (./x), a tarball (x.tgz), npm (name@version), git (https://host/x.git#ref), or library:<id>')
    .option('--folder <path>', 'of the package in what is fetched (default: its top)')
    .option('--force', 'replace a copy that was changed here', false)
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (source: string, { root, config, folder, force, json }: SourceCommandFlags & { folder?: string; force: boolean }) => {
      const { toolAddCommand } = await import('../tool-add-command.js');
      finish(await toolAddCommand({ source, root, force, json, ...defined({ config, folder }) }));
    });
}

/** What can be known of packages without running them. */
function addLooks(tool: Command, finish: Finish): void {
  tool
    .command('search')
    .description('list the packages of the library that have these words')
    .argument('[words...]', 'in the id, the description or the operations; without any, all packages')
    .addOption(jsonOption())
    .action(async (words: string[], { json }) => {
      const { toolSearchCommand } = await import('../tool-search-command.js');
      finish(await toolSearchCommand({ words, json }));
    });
  tool
    .command('inspect')
    .description('what a package asks for and has: grants, operations, routes, events, faults, size, digest')
    .argument('<package>', 'the folder of the package, or library:<id>')
    .addOption(jsonOption())
    .action(async (inspected: string, { json }) => {
      const { toolInspectCommand } = await import('../tool-search-command.js');
      finish(await toolInspectCommand({ tool: inspected, json }));
    });
}

function isolateOption(): Option {
  return new Option('--isolate <where>', 'where tool code runs (default: thread; box for an installed package)').choices([
    'thread',
    'process',
    'box',
  ]);
}
