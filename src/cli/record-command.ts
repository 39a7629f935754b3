// `drillyard record <run>`: a stored run as a drill or a scenario of the repository, shown as files, and written where that is asked for.
import { resolve } from 'node:path';
import pc from 'picocolors';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { Recording, RecordingPin } from '../contract/run/recording.js';
import { recordRun } from '../drills/record-run.js';
import { counted } from '../text/counted.js';
import { visibleText } from '../text/visible-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput } from './output.js';
import { ownCommand } from './own-command.js';

export interface RecordFlags {
  run: string;
  drill?: string;
  scenario?: string;
  title?: string;
  at?: number;
  target?: string;
  pin: readonly string[];
  write: boolean;
  replace: boolean;
  root: string;
  config?: string;
  json: boolean;
}

export async function recordCommand(flags: RecordFlags): Promise<ExitCode> {
  const { run, drill, scenario, title, at, target, write, replace, root, config, json } = flags;
  const output = createOutput({ json });
  try {
    if ((drill === undefined) === (scenario === undefined)) throw refused('Name what it becomes: --drill <id> or --scenario <id>.');
    const id = (drill ?? scenario) as string;
    if (!/^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*$/.test(id))
      throw refused(`"${id}" is no id: lower-case letters and digits, a letter first, joined by single hyphens or underscores.`);
    const recording = await recordRun({
      ...{ root, report: run, as: drill === undefined ? 'scenario' : 'drill', id, write, replace, pins: flags.pin.map(pinOf) },
      ...defined({ config, title, toSequence: at, targetId: target }),
    });
    const { digest, files, notes } = recording;
    output.line({ event: 'recording', digest, files, notes, written: write });
    if (!json) for (const line of recordingLines(recording, { write, root, drill })) output.say(line);
    return exitCodes.passed;
  } catch (error) {
    return reportFailure(error, output, resolve(root));
  }
}

/** `14`, or `payments/refunds/re_000001`, with `@` and the instance behind a package that has several. */
function pinOf(text: string): RecordingPin {
  if (/^#?[1-9]\d{0,15}$/.test(text)) return { kind: 'entry', sequence: Number(text.replace('#', '')) };
  const [owner = '', namespace, ...rest] = text.split('/');
  const [packageId = '', instanceId] = owner.split('@');
  if (namespace === undefined || rest.length === 0 || packageId === '')
    throw refused(`"${text}" is no pin: an entry such as 14, or a row such as payments/refunds/re_000001.`);
  return { kind: 'row', packageId, namespace, rowId: rest.join('/'), ...defined({ instanceId }) };
}

const states = { new: 'new', same: 'as it is', differs: 'there with other content' };

function recordingLines(
  { files, notes }: Recording,
  { write, root, drill }: { write: boolean; root: string; drill: string | undefined },
): string[] {
  const lines = files.flatMap(({ path, state, diff, text }) => [
    pc.bold(`${path}  (${states[state]})`),
    ...(write ? [] : (state === 'differs' ? diff : text.trimEnd()).split('\n').map((line) => `  ${visibleText(line)}`)),
  ]);
  const own = ownCommand(resolve(root));
  return [
    ...lines,
    ...notes.map((note) => pc.yellow(note)),
    ...(write
      ? [
          `${counted(files.filter(({ state }) => state !== 'same').length, 'file')} written. Next: ${own} ${drill === undefined ? 'validate' : `run ${drill}`}`,
        ]
      : ['Nothing was written: --write writes it.']),
  ];
}

function refused(message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message });
}
