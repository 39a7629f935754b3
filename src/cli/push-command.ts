// `drillyard push`: the public pushSource, shown as `validate` shows a source.
import { resolve } from 'node:path';
import { defined } from '../contract/defined.js';
import { diagnosticsOf } from '../drills/source-invalid.js';
import { pushSource } from '../index.js';
import type { PushedSource } from '../remote/push-source.js';
import { counted } from '../text/counted.js';
import { visibleLine } from '../text/visible-text.js';
import type { ShownPlace } from './compile-shown.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { abortOnInterrupt } from './interrupt.js';
import { createOutput, type Output } from './output.js';
import { withProgressBar } from './progress-bar.js';
import { type RemoteFlags, remoteOptionsOf } from './remote-flags.js';
import { buildWords, showDiagnostics, showSummary } from './validity.js';

export interface PushFlags extends ShownPlace {
  json: boolean;
  datasets: readonly string[];
  remote: RemoteFlags;
}

export async function pushCommand(flags: PushFlags): Promise<ExitCode> {
  const output = createOutput(flags);
  const root = resolve(flags.root);
  const { signal, stop } = abortOnInterrupt((text) => output.warn(text));
  try {
    return await push(flags, { output, root, signal });
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    const diagnostics = diagnosticsOf(error);
    if (diagnostics === undefined) return reportFailure(error, output, root);
    showDiagnostics(diagnostics, { output, root });
    showSummary(diagnostics, { output });
    // The source was refused, and that is what a push is for.
    return exitCodes.failed;
  } finally {
    stop();
  }
}

async function push(
  { root: given, config, remote, datasets: files }: PushFlags,
  { output, root, signal }: { output: Output; root: string; signal: AbortSignal },
): Promise<ExitCode> {
  const options = { root: given, ...defined({ config }), remote: remoteOptionsOf(remote, process.env), datasets: files, signal };
  const { pushed, datasets, build, diagnostics } = await withProgressBar('Compiling', ({ update, end }) => {
    const onProgress = (text: string): void => {
      end();
      output.warn(visibleLine(text));
    };
    return pushSource({ ...options, onCompiling: update, onProgress });
  });
  showDiagnostics(diagnostics, { output, root });
  output.line({ event: 'pushed', ...pushed });
  for (const dataset of datasets) output.line({ event: 'dataset', ...dataset });
  showSummary(diagnostics, { output, build: { buildHash: pushed.buildHash }, more: { unchanged: pushed.isUnchanged } });
  if (output.json) return exitCodes.passed;
  output.say(visibleLine(pushedWords(pushed)));
  for (const { name, revision, isUnchanged } of datasets) {
    output.say(`${isUnchanged ? 'Unchanged' : 'Sent'}: dataset "${visibleLine(name)}", revision ${visibleLine(String(revision))}.`);
  }
  output.say(`Valid: ${buildWords(build)}. Build ${visibleLine(pushed.buildHash)}.`);
  if (pushed.buildHash !== build.buildHash)
    output.warn(`This machine makes another build of the source: ${build.buildHash}. The service has another version.`);
  return exitCodes.passed;
}

export function pushedWords({ url, projectId, draft, revision, files, isUnchanged, isSent }: PushedSource): string {
  const place = `revision ${revision} of "${draft}" in ${projectId} at ${url}`;
  if (isUnchanged) return `Unchanged: the source is ${place}, and built. Nothing was sent.`;
  return isSent ? `Pushed: ${counted(files, 'file')}, ${place}.` : `Built: the source was ${place} already.`;
}
