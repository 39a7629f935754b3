// The command line: its commands, each group defined in program/. What a command does is imported when it runs, so that starting stays
// fast.
import type { Command } from 'commander';
import { addAdmin } from './program/admin.js';
import { addAgent } from './program/agent.js';
import { addClean } from './program/clean.js';
import { addCompletion } from './program/completion.js';
import { addDoctor } from './program/doctor.js';
import { addHistory } from './program/history.js';
import { addInit } from './program/init.js';
import { addInspect } from './program/inspect.js';
import { type Finish, rootCommand } from './program/options.js';
import { addPush } from './program/push.js';
import { addRecord } from './program/record.js';
import { addReport } from './program/report.js';
import { addRun } from './program/run.js';
import { addServe } from './program/serve.js';
import { addSource } from './program/source.js';
import { addStoredRun } from './program/stored-run.js';
import { addTool } from './program/tool.js';
import { addWorld } from './program/world.js';

/** `finish` gets what the process shall end with. */
export function createProgram({ version, finish }: { version: string; finish: Finish }): Command {
  const program = rootCommand(version);
  const groups = [
    addRun,
    addSource,
    addPush,
    addInit,
    addReport,
    addStoredRun,
    addRecord,
    addHistory,
    addTool,
    addWorld,
    addAgent,
    addInspect,
    addServe,
    addAdmin,
    addDoctor,
    addClean,
    addCompletion,
  ];
  for (const add of groups) add(program, finish);
  sayWhoseHelp(program, 'drillyard');
  return program;
}

/** After a mistake, the help of the very command. */
function sayWhoseHelp(command: Command, name: string): void {
  command.showHelpAfterError(`(${name} --help lists what there is)`);
  for (const sub of command.commands) sayWhoseHelp(sub, `${name} ${sub.name()}`);
}
