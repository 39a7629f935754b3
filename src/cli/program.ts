// The command line: flags and their meaning. What a command does is imported when it runs, so that starting stays fast.
import { type Command, Option } from 'commander';
import { defined, type Finish, integer, rootCommand } from './flags.js';
import { environmentName, serveSettings } from './serve-settings.js';
import { addWorld } from './world-program.js';

/** `finish` gets what the process shall end with. */
export function createProgram({ version, finish }: { version: string; finish: Finish }): Command {
  const program = rootCommand(version);
  addRun(program, finish);
  addSource(program, finish);
  addInit(program, finish);
  addReport(program, finish);
  addTool(program, finish);
  addWorld(program, finish);
  addInspect(program, finish);
  addServe(program, finish);
  return program;
}

const rootOption = () => new Option('--root <folder>', 'the repository').default('.');
const configOption = () => new Option('--config <file>', 'the root file, relative to the repository').default(undefined, 'drillyard.json');
const jsonOption = () => new Option('--json', 'one JSON object a line on stdout and nothing else there').default(false);

/** What chooses drills, for run and plan. */
function withSelection(command: Command): Command {
  return command
    .argument('[drills...]', 'drill ids; default: the suite "default" where there is one, else all')
    .option('--suite <id>', 'the drills of this suite')
    .option('--tag <tag>', 'of those, drills that carry this tag (repeatable)', collect, [])
    .option('--filter <text>', 'of those, drills whose id or title contains this; * stands for anything')
    .option('--trials <n>', 'trials a drill, instead of its own', integer)
    .option('--retries <n>', 'further attempts of a trial that did not pass', integer)
    .option('--seed <n>', "instead of the world's seed")
    .option('--concurrency <n>', 'attempts at once; changes no result', integer);
}

interface SelectionFlags {
  tag: string[];
  suite?: string;
  filter?: string;
  trials?: number;
  retries?: number;
  seed?: string;
  concurrency?: number;
}
interface SourceCommandFlags {
  root: string;
  config?: string;
  json: boolean;
}
interface RunCommandFlags extends SourceCommandFlags, SelectionFlags {
  reporter: 'terminal' | 'json' | 'none';
  isolate: 'thread' | 'process';
  failFast: boolean;
  reportDir: string;
  runDir: string;
}
function selection(drills: string[], { tag, suite, filter, trials, retries, seed, concurrency }: SelectionFlags) {
  return defined({ drills, tags: tag, suite, filter, trials, retries, seed, concurrency });
}

function addRun(program: Command, finish: Finish): void {
  withSelection(program.command('run', { isDefault: true }).description('run drills (the default command)'))
    .addOption(new Option('--isolate <where>', 'where tool code and module targets run').choices(['thread', 'process']).default('thread'))
    .addOption(new Option('--reporter <name>', 'what stdout shows').choices(['terminal', 'json', 'none']).default('terminal'))
    .option('--fail-fast', 'start no further attempts once a drill has failed', false)
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .option('--report-dir <folder>', 'where reports go, relative to the repository', '.service/reports')
    .option('--run-dir <folder>', 'where worlds are kept, relative to the repository', '.service/runs')
    .action(async (drills: string[], flags: RunCommandFlags) => {
      const { runCommand } = await import('./run-command.js');
      const { root, config, json, reporter, isolate, failFast, reportDir, runDir } = flags;
      const options = { root, config, json, reporter, isolate, stopOnFailure: failFast, reportDirectory: reportDir, runDirectory: runDir };
      finish(await runCommand({ ...defined(options), ...selection(drills, flags) }));
    });
}

function addSource(program: Command, finish: Finish): void {
  program
    .command('validate')
    .description('compile the repository and tell every mistake at once; runs nothing')
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (flags) => {
      const { validateCommand } = await import('./validate-command.js');
      finish(await validateCommand(flags));
    });
  withSelection(program.command('plan').description('show what run would run, with every seed; runs nothing'))
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .action(async (drills: string[], flags: SourceCommandFlags & SelectionFlags) => {
      const { planCommand } = await import('./plan-command.js');
      const { root, config, json } = flags;
      finish(await planCommand({ ...defined({ root, config, json }), ...selection(drills, flags) }));
    });
}

function addInit(program: Command, finish: Finish): void {
  program
    .command('init')
    .description('write a small repository that runs')
    .argument('[folder]', 'where; default: the current folder')
    .addOption(new Option('--agent <kind>', 'what the agent is').choices(['module', 'command']))
    .option('-y, --yes', 'ask nothing', false)
    .action(async (folder: string | undefined, { agent, yes }) => {
      const { initCommand } = await import('./init-command.js');
      finish(await initCommand({ ...defined({ folder, agent }), yes }));
    });
}

function addReport(program: Command, finish: Finish): void {
  program
    .command('report')
    .description('work on reports')
    .command('verify')
    .description('check a report folder: digests, evidence, verdict, projections')
    .argument('<folder>', 'the report folder, or the id of a run of this repository')
    .addOption(jsonOption())
    .addOption(rootOption())
    .action(async (folder: string, { json, root }) => {
      const { verifyCommand } = await import('./report-command.js');
      finish(await verifyCommand({ folder, json, root }));
    });
}

function addTool(program: Command, finish: Finish): void {
  program
    .command('tool')
    .description('work on tool packages')
    .command('test')
    .description("run a package's conformance suite, once as it is and once in amnesia")
    .argument('<package>', 'the folder of the package, or library:<id>')
    .addOption(new Option('--isolate <where>', 'where tool code runs').choices(['thread', 'process']).default('thread'))
    .option('--concurrency <n>', 'attempts at once', integer)
    .addOption(jsonOption())
    .action(async (tool: string, { json, isolate, concurrency }) => {
      const { toolTestCommand } = await import('./tool-test-command.js');
      finish(await toolTestCommand({ tool, json, ...defined({ isolate, concurrency }) }));
    });
}

interface InspectCommandFlags extends SourceCommandFlags {
  port: number;
  open: boolean;
  reportDir: string;
  runDir: string;
}
function addInspect(program: Command, finish: Finish): void {
  program
    .command('inspect')
    .description('open the local inspector: the repository, its runs, and a world to play with')
    .option('--port <n>', 'where to listen, on loopback; 0: any that is free', integer, 0)
    .option('--no-open', 'do not open a browser')
    .addOption(jsonOption())
    .addOption(rootOption())
    .addOption(configOption())
    .option('--report-dir <folder>', 'where reports are, relative to the repository', '.service/reports')
    .option('--run-dir <folder>', 'where worlds are kept, relative to the repository', '.service/runs')
    .action(async ({ port, open, json, root, config, reportDir, runDir }: InspectCommandFlags) => {
      const { inspectCommand } = await import('./inspect-command.js');
      const options = { port, open, json, root, config, reportDirectory: reportDir, runDirectory: runDir };
      finish(await inspectCommand(defined(options)));
    });
}

function addServe(program: Command, finish: Finish): void {
  const serve = program.command('serve').description('serve the hosted control API, and worlds to agents').addOption(jsonOption());
  for (const setting of serveSettings) {
    const text = `${setting.text.replaceAll('`', '')} Default: ${setting.default}. (${environmentName(setting)})`;
    serve.addOption(new Option(`--${setting.flag} ${setting.placeholder}`, text));
  }
  serve.action(async ({ json }: { json: boolean }, command: Command) => {
    const { serveCommand } = await import('./serve-command.js');
    const given = command.options.map((option) => [option.long?.slice(2), command.getOptionValue(option.attributeName())]);
    finish(await serveCommand({ json, settings: Object.fromEntries(given.filter(([, value]) => typeof value === 'string')) }));
  });
}

function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}
