// `drillyard init`: a small repository that runs at once, from a template, and what a CI system needs to run it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { libraryFolder } from '../compiler/shipped.js';
import { ServiceError } from '../contract/errors.js';
import { localFolder } from '../contract/local-folders.js';
import { packageVersion } from '../files/installation.js';
import { type NewFiles, writeAllFiles } from '../files/write-all-files.js';
import { counted } from '../text/counted.js';
import { withSchemaLine } from './editor-schema.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { gitignore, gitignoreWith } from './gitignore.js';
import { createOutput } from './output.js';
import { ownCommand } from './own-command.js';
import { shellWord } from './shell-word.js';

export const templateNames = ['support-desk', 'payments', 'python', 'mcp'] as const;
export type TemplateName = (typeof templateNames)[number];
export const agentKinds = ['module', 'command'] as const;
export type AgentKind = (typeof agentKinds)[number];
export const ciSystems = ['github'] as const;
export interface InitFlags {
  /** Default: asked on a terminal, else the current folder. */
  folder?: string;
  template?: TemplateName;
  /** Of the template support-desk. */
  agent?: AgentKind;
  ci?: (typeof ciSystems)[number];
  /** Write over what is there. */
  force: boolean;
  /** Ask nothing. */
  yes: boolean;
}
/** What runs and agents leave behind. */
const ignoredPaths = [`${localFolder}/`, 'node_modules/', '__pycache__/'];
type InitChoice = Required<Pick<InitFlags, 'folder' | 'template' | 'agent'>>;

export async function initCommand(flags: InitFlags): Promise<ExitCode> {
  const output = createOutput({ json: false });
  try {
    if (flags.agent !== undefined && flags.template !== undefined && flags.template !== 'support-desk')
      throw new ServiceError('control.INVALID_REQUEST', {
        message: `The template ${flags.template} has an agent of its own: leave --agent out.`,
      });
    const chosen = await choose(flags);
    if (chosen === undefined) return exitCodes.interrupted;
    const folder = resolve(chosen.folder);
    // A repository that is there already gets what it asks for, and no second one.
    const files: NewFiles = { ...(addsToRepository(folder, flags) ? {} : repositoryFiles(chosen, folder)), ...ciFiles(flags) };
    const taken = existing(folder, Object.keys(files));
    if (!flags.force) refuse(folder, taken);
    const ignored = addsToRepository(folder, flags) ? undefined : gitignoreWith(folder, ignoredPaths);
    for (const path of taken) output.say(`${path} is written over.`);
    writeAllFiles(folder, { ...files, ...(ignored === undefined ? {} : { [gitignore]: ignored.content }) });
    if (ignored?.isAddition) output.say(`${ignored.added.join(', ')} added to ${gitignore}.`);
    const place = relative(process.cwd(), folder);
    const written = Object.keys(files).length + (ignored === undefined || ignored.isAddition ? 0 : 1);
    output.say(`${counted(written, 'file')} written${place === '' ? '' : ` to ${place}`}. Next:`);
    output.say(nextSteps(files, { folder, place }));
    return exitCodes.passed;
  } catch (error) {
    return reportFailure(error, output, process.cwd());
  }
}

async function choose(flags: InitFlags): Promise<InitChoice | undefined> {
  const asks = !flags.yes && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const { folder = '.', template = 'support-desk', agent = 'module' } = flags;
  return asks ? await ask(flags) : { folder, template, agent };
}

function addsToRepository(folder: string, { ci, template, force }: InitFlags): boolean {
  return ci !== undefined && template === undefined && !force && existsSync(join(folder, 'drillyard.json'));
}

function nextSteps(files: NewFiles, { folder, place }: { folder: string; place: string }): string {
  const lines = place === '' ? [] : [`  cd ${shellWord(place.startsWith('-') ? `./${place}` : place)}`];
  const agent = Object.keys(files).find((path) => path.startsWith('agents/'));
  if (agent !== undefined) lines.push(`  ${ownCommand(folder)} run`, `Then put your own agent in the place of ${agent}.`);
  const workflow = Object.keys(files).find((path) => path.startsWith('.github/'));
  if (workflow !== undefined) lines.push(workflowStep(workflow, folder));
  return lines.join('\n');
}

/** GitHub reads workflows in one folder alone, also where this one is a package of a workspace. */
function workflowStep(workflow: string, folder: string): string {
  const root = checkoutAbove(folder);
  if (root === undefined) return `Commit ${workflow}: GitHub then runs the drills for every change.`;
  const below = relative(root, folder).replaceAll('\\', '/');
  return `Move ${workflow} to ${join(relative(folder, root), dirname(workflow))}, the only folder in which GitHub looks for workflows,
and let it run and keep what is in ${below}: its 'working-directory', and the path of the reports.`;
}

/** The root of the checkout; undefined where `folder` is that, or is in none. */
function checkoutAbove(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at === folder ? undefined : at;
    if (at === dirname(at)) return undefined;
  }
}

/** By path in the new repository, whose root is `folder`. */
function repositoryFiles({ template, agent }: InitChoice, folder: string): NewFiles {
  const desk = template !== 'payments';
  const starter = readFileSync(join(libraryFolder(), desk ? 'ticket-desk' : 'payments', 'starter.yaml'), 'utf8');
  const shared = desk ? '' : 'payments/';
  const [target, program] = agentFiles(template, agent);
  const files = {
    'drillyard.json': text(`${shared}drillyard.json`),
    'drillyard/world.yaml': text(`${shared}world-head.yaml`) + starter.slice(starter.indexOf('virtualTimeUs:')),
    'drillyard/targets/support-agent.target.yaml': text(target),
    [`drillyard/drills/${desk ? 'first-ticket' : 'refund-once'}.drill.yaml`]: text(`${shared}drill.yaml`),
    ...(desk ? {} : { 'drillyard/scenarios/answer-lost.scenario.yaml': text('payments/scenario.yaml') }),
    'drillyard/suites/default.suite.yaml': text('suite.yaml'),
    [`agents/${template === 'python' ? 'support_agent.py' : 'support-agent.mjs'}`]: text(program),
  };
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [path, withSchemaLine({ folder }, path, content)]));
}

/** The target's declaration, and its program. */
function agentFiles(template: TemplateName, agent: AgentKind): [string, string] {
  switch (template) {
    case 'support-desk':
      return [`target-${agent}.yaml`, `agent-${agent}.mjs`];
    case 'payments':
      return ['target-module.yaml', 'payments/agent.mjs'];
    case 'python':
      return ['python/target.yaml', 'python/agent.py'];
    case 'mcp':
      return ['mcp/target.yaml', 'mcp/agent.mjs'];
    default:
      return template satisfies never;
  }
}

function ciFiles({ ci }: InitFlags): NewFiles {
  return ci === undefined ? {} : { '.github/workflows/drills.yaml': text('ci/github.yaml').replace('DRILLYARD_VERSION', packageVersion()) };
}

function text(name: string): string {
  return readFileSync(new URL(`./template/${name}`, import.meta.url), 'utf8');
}

function existing(folder: string, files: readonly string[]): string[] {
  return files.filter((name) => existsSync(join(folder, name)));
}

/** Without --force nothing that is there is written over. */
function refuse(folder: string, taken: readonly string[]): void {
  if (taken.length === 0) return;
  throw new ServiceError('control.INVALID_REQUEST', {
    message: `${folder} already has ${taken.slice(0, 3).join(', ')}${taken.length > 3 ? ' and more' : ''}; nothing was written. Name another folder, or write over with --force.`,
    details: { taken: [...taken], entries: readdirSync(folder).length },
  });
}

/** Undefined when the person gave up. */
async function ask(flags: InitFlags): Promise<InitChoice | undefined> {
  const { intro, isCancel, outro, select, text: line } = await import('@clack/prompts');
  intro('A new Drillyard repository');
  const folder = flags.folder ?? (await line({ message: 'In which folder?', placeholder: '.', defaultValue: '.' }));
  if (isCancel(folder)) return undefined;
  if (addsToRepository(resolve(folder), flags)) return { folder, template: 'support-desk', agent: 'module' };
  const options = [
    { value: 'module' as const, label: 'A JavaScript module', hint: 'answers tickets; in a worker of its own' },
    { value: 'command' as const, label: 'A command', hint: 'answers tickets; any language, over HTTP' },
    { value: 'python' as const, label: 'A Python program', hint: 'answers tickets, over HTTP' },
    { value: 'mcp' as const, label: 'An MCP client', hint: 'answers tickets, over MCP' },
    { value: 'payments' as const, label: 'A JavaScript module that moves money', hint: 'refunds, and an answer that is lost' },
  ];
  const known = flags.template !== undefined || flags.agent !== undefined;
  const kind = known ? undefined : await select({ message: 'What is your agent?', options });
  if (isCancel(kind)) return undefined;
  outro('Writing.');
  const { template = kind === undefined || kind === 'module' || kind === 'command' ? 'support-desk' : kind } = flags;
  const { agent = kind === 'command' ? 'command' : 'module' } = flags;
  return { folder, template, agent };
}
