// `drillyard serve`: the hosted service in this process, until a signal ends it.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import pc from 'picocolors';
import { defined } from '../contract/defined.js';
import { localFolders } from '../contract/local-folders.js';
import { operatorTokenFile } from '../control/catalog/settings.js';
import type { ControlServer, ControlServerOptions } from '../index.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { fromHere } from './from-here.js';
import { onInterrupt } from './interrupt.js';
import { endOnUncaught } from './last-resort.js';
import { createOutput, type Output } from './output.js';
import { readServeSettings } from './read-serve-settings.js';
import { type ServeTraces, startServeTraces } from './serve-traces.js';
import { settingsText, shownSettings } from './shown-settings.js';
import { tuning } from './tuning.js';

export interface ServeFlags {
  json: boolean;
  rotateKey: boolean;
  /** Shows what holds, and starts nothing. */
  printConfig: boolean;
  /** As given, by flag name. */
  settings: { [flag: string]: string | undefined };
}

export async function serveCommand({ json, rotateKey, printConfig, settings }: ServeFlags): Promise<ExitCode> {
  const output = createOutput({ json });
  const read = readServeSettings({ flags: settings, environment: process.env, rotateKey });
  if ('problems' in read) {
    for (const message of read.problems) {
      output.line({ event: 'error', code: 'control.INVALID_REQUEST', message });
      output.warn(`${pc.red('error')} ${message}`);
    }
    output.warn('(drillyard serve --help lists every setting)');
    return exitCodes.usage;
  }
  if (printConfig) {
    const shown = shownSettings(read);
    output.line({ event: 'config', settings: shown });
    if (!json) output.say(settingsText(shown));
    return exitCodes.passed;
  }
  limitHeapGrowth();
  const stop = stopOnSignal(output);
  const catchAgain = endOnUncaught(read.options.log);
  let traces: ServeTraces | undefined;
  try {
    traces = await startServeTraces(process.env, read.options.log);
    const { startControlServer } = await import('../control-server.js');
    const server = await startControlServer({ ...read.options, tracing: traces.isOn, signal: stop.signal });
    if (await tell(server, read.options, output)) await server.credentialShown();
    await stop.asked;
    await server.close();
    return exitCodes.passed;
  } catch (error) {
    if (stop.signal.aborted && error === stop.signal.reason) return exitCodes.passed;
    return reportFailure(error, output, process.cwd());
  } finally {
    await traces?.end();
    stop.end();
    catchAgain();
  }
}

/**
 * V8 lets a heap grow to three or four times what lives in it while requests come fast, and keeps that afterwards. Of 4,000 live sessions
 * the service has 433 MB resident in place of 500, and 391 once it has been idle for some seconds, for the same processor's time. A version
 * of Node.js without the flag runs as it would.
 */
function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${tuning.heapGrowingPercent}`);
}

/** The first signal asks to stop, the second ends the process at once. */
function stopOnSignal(output: Output): { signal: AbortSignal; asked: Promise<unknown>; end(): void } {
  const asking = new AbortController();
  const { signal } = asking;
  const asked = once(signal, 'abort');
  const end = onInterrupt(() => {
    if (!output.json) output.warn('Stopping: new work is refused, what runs is finished or kept. Once more to end at once.');
    asking.abort();
  });
  return { signal, asked, end };
}

/** Whether it reached its reader: a credential is shown once, so it counts as shown only then. */
function tell(server: ControlServer, options: ControlServerOptions, output: Output): Promise<boolean> {
  const { baseUrl, worldUrl, publicUrl, organizationId, projectId, environmentId, buildHash, credential, engine, warnings, toolCode } =
    server;
  const ready = {
    event: 'ready',
    baseUrl,
    organizationId,
    ...(projectId === '' ? {} : { projectId, environmentId, buildHash }),
    ...defined({ credential, node: options.cluster?.node }),
    server: engine,
    toolCode,
    ...(worldUrl === publicUrl ? {} : { worldUrl }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  const text = output.json ? JSON.stringify(ready) : readyText(server, options);
  return new Promise((resolve) => process.stdout.write(`${text}\n`, (error) => resolve(error === null || error === undefined)));
}

function readyText(server: ControlServer, { host, dataDirectory = localFolders.hosted, publicUrl }: ControlServerOptions): string {
  const { baseUrl, organizationId, projectId, environmentId, buildHash, credential, engine } = server;
  const isOpen = host === '0.0.0.0' || host === '::';
  const token = credential ?? '$CREDENTIAL';
  return [
    `${pc.bold('Drillyard')} serves at ${pc.bold(baseUrl)} (${engine}), data in ${fromHere(dataDirectory)}`,
    '',
    `  organization  ${organizationId}`,
    ...(projectId === '' ? [] : [`  project       ${projectId}`, `  environment   ${environmentId}`, `  build         ${buildHash}`]),
    credential === undefined
      ? '  credential    was shown at the first start'
      : `  credential    ${pc.bold(credential)}  a manager's; keep it, it is not shown again`,
    `  operator      ${operatorText(join(dataDirectory, operatorTokenFile))}`,
    `  tool code     ${toolCodeText(server)}`,
    ...(isOpen && publicUrl === undefined ? ['', `Agents are given ${server.publicUrl}; if they are elsewhere, name --public-url.`] : []),
    ...(server.worldUrl === server.publicUrl ? [] : [`  worlds        ${server.worldUrl}`]),
    ...server.warnings.flatMap(({ code, message }) => ['', `${pc.yellow('warning')} ${code}: ${message}`]),
    '',
    ...(projectId === ''
      ? ['The API to read, and the way out:']
      : [
          'A session, the API to read, and the way out:',
          '',
          `  curl -X POST ${baseUrl}/v1/projects/${projectId}/environments/${environmentId}/sessions \\`,
          `    -H 'Authorization: Bearer ${token}' -H 'Idempotency-Key: my-first-session' \\`,
          `    -H 'Content-Type: application/json' -d '{"seed":"42"}'`,
        ]),
    '',
    `  ${baseUrl}/docs`,
    '  Ctrl-C',
  ].join('\n');
}

/** A node that joins a cluster has none: the one that made the cluster wrote it. */
function operatorText(file: string): string {
  if (existsSync(file)) return `token in ${fromHere(file)}, for drillyard admin`;
  return `token in ${operatorTokenFile} of the node that made the cluster, for drillyard admin`;
}

function toolCodeText({ toolCode: { isolation, memory, cpu, processes } }: ControlServer): string {
  if (isolation === 'thread') return 'runs in threads of this process, which it can end (--isolate thread)';
  const where = isolation === 'box' ? 'in boxes, one a project' : 'in processes without boxes, one a project';
  return `runs ${where}; memory: ${memory}, processor: ${cpu}, processes: ${processes}`;
}
