// `drillyard init`: a small repository that runs: a world with the ticket desk, one agent, one drill, one suite.
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { libraryFolder } from '../compiler/shipped.js';
import { ServiceError } from '../contract/errors.js';
import { makeFolder } from '../files/make-folder.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput } from './output.js';

export const agentKinds = ['module', 'command'] as const;
export type AgentKind = (typeof agentKinds)[number];
export interface InitFlags {
  /** Default: asked on a terminal, else the current folder. */
  folder?: string;
  agent?: AgentKind;
  /** Ask nothing. */
  yes: boolean;
}

export async function initCommand(flags: InitFlags): Promise<ExitCode> {
  const output = createOutput({ json: false });
  try {
    const asks = !flags.yes && process.stdin.isTTY === true && process.stdout.isTTY === true;
    const chosen = asks ? await ask(flags) : { folder: flags.folder ?? '.', agent: flags.agent ?? 'module' };
    if (chosen === undefined) return exitCodes.interrupted;
    const folder = resolve(chosen.folder);
    const files = repositoryFiles(chosen.agent);
    refuseExisting(folder, Object.keys(files));
    writeAll(folder, files);
    const place = relative(process.cwd(), folder);
    output.say(`${Object.keys(files).length} files written${place === '' ? '' : ` to ${place}`}. Next:`);
    output.say(`${place === '' ? '' : `  cd ${place}\n`}  drillyard run\nThen put your own agent in the place of agents/support-agent.mjs.`);
    return exitCodes.passed;
  } catch (error) {
    return reportFailure(error, output, process.cwd());
  }
}

/** By path in the new repository. */
function repositoryFiles(agent: AgentKind): { [path: string]: string } {
  const starter = readFileSync(join(libraryFolder(), 'ticket-desk', 'starter.yaml'), 'utf8');
  return {
    'drillyard.json': template('drillyard.json'),
    'drillyard/world.yaml': template('world-head.yaml') + starter.slice(starter.indexOf('virtualTimeUs:')),
    'drillyard/targets/support-agent.target.yaml': template(`target-${agent}.yaml`),
    'drillyard/drills/first-ticket.drill.yaml': template('drill.yaml'),
    'drillyard/suites/default.suite.yaml': template('suite.yaml'),
    'agents/support-agent.mjs': template(`agent-${agent}.mjs`),
    '.gitignore': '.service/\n',
  };
}

function template(name: string): string {
  return readFileSync(new URL(`./template/${name}`, import.meta.url), 'utf8');
}

/** All or none: half a repository would be in the way of the next try. */
function writeAll(folder: string, files: { [path: string]: string }): void {
  const written: string[] = [];
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name);
      makeFolder(dirname(path));
      const file = openSync(path, 'wx');
      written.push(path);
      writeFileSync(file, text);
      closeSync(file);
    }
  } catch (error) {
    for (const path of written) rmSync(path, { force: true });
    throw error;
  }
}

/** Nothing that is there is written over. */
function refuseExisting(folder: string, files: readonly string[]): void {
  const taken = files.filter((name) => existsSync(join(folder, name)));
  if (taken.length === 0) return;
  const others = existsSync(folder) ? readdirSync(folder).length : 0;
  throw new ServiceError('control.INVALID_REQUEST', {
    message: `${folder} already has ${taken.slice(0, 3).join(', ')}${taken.length > 3 ? ' and more' : ''}; nothing was written.`,
    details: { taken, entries: others },
  });
}

/** Undefined when the person gave up. */
async function ask(flags: InitFlags): Promise<{ folder: string; agent: AgentKind } | undefined> {
  const { intro, isCancel, outro, select, text } = await import('@clack/prompts');
  intro('A new Drillyard repository');
  const folder = flags.folder ?? (await text({ message: 'In which folder?', placeholder: '.', defaultValue: '.' }));
  if (isCancel(folder)) return undefined;
  const options = [
    { value: 'module' as const, label: 'A module', hint: 'JavaScript or TypeScript, in a worker of its own' },
    { value: 'command' as const, label: 'A command', hint: 'any language, over HTTP' },
  ];
  const agent = flags.agent ?? (await select({ message: 'What is your agent?', options }));
  if (isCancel(agent)) return undefined;
  outro('Writing.');
  return { folder, agent };
}
