// `drillyard inspect`: the local inspector in this process, until a signal ends it.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import pc from 'picocolors';
import { startLocalInspector } from '../index.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { abortOnInterrupt } from './interrupt.js';
import { createOutput } from './output.js';

export interface InspectFlags {
  root: string;
  config?: string;
  port: number;
  open: boolean;
  json: boolean;
  reportDirectory: string;
  runDirectory: string;
}

export async function inspectCommand({ json, open, root, ...options }: InspectFlags): Promise<ExitCode> {
  const output = createOutput({ json });
  const interrupt = abortOnInterrupt((text) => output.warn(text));
  try {
    const inspector = await startLocalInspector({ root, ...options });
    const { baseUrl, token } = inspector;
    // In the fragment, which no browser sends and no log has.
    const appUrl = `${baseUrl}/#token=${token}`;
    output.line({ event: 'ready', baseUrl, token, appUrl });
    if (!json)
      output.say(`${pc.bold('Drillyard')} inspects ${resolve(root)}\n\n  ${pc.bold(appUrl)}\n\nThe address holds the key to it. Ctrl-C ends it.`);
    if (open && !json) openBrowser(appUrl);
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
  }
}

const openers: { [platform: string]: [string, ...string[]] } = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] };

/** Where there is no browser to open, the address on the terminal is enough. */
function openBrowser(url: string): void {
  const [program, ...words] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
