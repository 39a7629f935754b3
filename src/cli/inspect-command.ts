// `drillyard inspect`: the local inspector in this process, until a signal ends it.
import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import pc from 'picocolors';
import { localFolder } from '../contract/local-folders.js';
import { startLocalInspector } from '../index.js';
import { requireKnownRun } from '../reports/report-path.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { abortOnInterrupt } from './interrupt.js';
import { createOutput } from './output.js';
import { withProgressBar } from './progress-bar.js';
import { receiversOf } from './receiver-flags.js';

export interface InspectFlags {
  root: string;
  /** What it opens with. */
  run?: string;
  config?: string;
  port: number | 'repository';
  open: boolean;
  /** Of `--receiver`. */
  receivers: readonly string[];
  json: boolean;
  reportDirectory: string;
  runDirectory: string;
}

export async function inspectCommand({ json, open, root, run, receivers, ...options }: InspectFlags): Promise<ExitCode> {
  const output = createOutput({ json });
  const interrupt = abortOnInterrupt((text) => output.warn(text));
  let doorway: string | undefined;
  try {
    const { reportDirectory, runDirectory } = options;
    if (run !== undefined) requireKnownRun(run, { reports: resolve(root, reportDirectory), runs: resolve(root, runDirectory) });
    const callbackReceivers = receiversOf(receivers, process.env);
    const given = callbackReceivers === undefined ? options : { ...options, callbackReceivers };
    const inspector = await withProgressBar('Compiling', ({ update }) =>
      startLocalInspector({ root, watch: true, ...given, onCompiling: update, onNotice: (text) => output.warn(text) }),
    );
    const { baseUrl, token } = inspector;
    // In the fragment, which no browser sends and no log has.
    const appUrl = `${baseUrl}/#${run === undefined ? '' : `/runs/${encodeURIComponent(run)}?`}token=${token}`;
    output.line({ event: 'ready', baseUrl, token, appUrl });
    if (!json)
      output.say(
        `${pc.bold('Drillyard')} inspects ${resolve(root)}\n\n  ${pc.bold(appUrl)}\n\nThe address holds the key to it. Ctrl-C ends it.`,
      );
    if (open && !json) {
      doorway = await makeDoorway(resolve(root), appUrl);
      openBrowser(doorway);
    }
    await new Promise<void>((stop) => {
      if (interrupt.signal.aborted) stop();
      interrupt.signal.addEventListener('abort', () => stop(), { once: true });
    });
    await inspector.close();
    return exitCodes.passed;
  } catch (error) {
    return reportFailure(error, output, resolve(root));
  } finally {
    interrupt.stop();
    if (doorway !== undefined) await rm(doorway, { force: true });
  }
}

const openers: { [platform: string]: [string, ...string[]] } = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] };

/**
 * Redirects the browser that opens it to the app. A file of its owner alone, since other users of the machine can read what a program is
 * started with.
 */
async function makeDoorway(root: string, appUrl: string): Promise<string> {
  const folder = join(root, localFolder);
  await mkdir(folder, { recursive: true });
  const path = join(folder, `inspect-${process.pid}.html`);
  await rm(path, { force: true });
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${appUrl}"><title>Drillyard</title>`;
  await writeFile(path, page, { flag: 'wx', mode: 0o600 });
  return path;
}

/** Where there is no browser to open, the address on the terminal is enough. */
function openBrowser(path: string): void {
  const [program, ...words] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...words, pathToFileURL(path).href], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
