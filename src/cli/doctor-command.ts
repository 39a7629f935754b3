// `drillyard doctor`: what this machine and this repository need, each with what mends it. Leaves nothing behind.
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import pc from 'picocolors';
import { satisfies } from 'semver';
import { defined } from '../contract/defined.js';
import { isServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { localFolder } from '../contract/local-folders.js';
import { mebibyte } from '../contract/units.js';
import { installation } from '../files/installation.js';
import { counted } from '../text/counted.js';
import { compileShown } from './compile-shown.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput } from './output.js';
import type { SourceFlags } from './validate-command.js';

export interface DoctorFinding {
  status: 'ok' | 'warning' | 'failed';
  message: string;
  /** What to do; with everything that is not ok. */
  fix?: string;
}
type Check = (flags: SourceFlags) => DoctorFinding | Promise<DoctorFinding>;

/** In the order in which they are shown. */
const checks: { [id: string]: Check } = {
  node: () => nodeVersion(process.versions.node),
  storage: nativeStorage,
  'http-server': nativeServer,
  bundler,
  loopback,
  folder: ({ root }) => writableFolder(resolve(root)),
  disk: ({ root }) => freeDisk(resolve(root)),
  repository,
};
const marks = { ok: pc.green('✓'), warning: pc.yellow('!'), failed: pc.red('✗') };

export async function doctorCommand(flags: SourceFlags): Promise<ExitCode> {
  const output = createOutput(flags);
  try {
    const counts = { ok: 0, warning: 0, failed: 0 };
    for (const [id, check] of Object.entries(checks)) {
      const finding = await check(flags);
      counts[finding.status]++;
      output.line({ event: 'check', id, ...finding });
      if (!flags.json)
        output.say(
          `${marks[finding.status]} ${id.padEnd(12)} ${finding.message}${finding.fix === undefined ? '' : `\n  ${''.padEnd(12)} ${finding.fix}`}`,
        );
    }
    output.line({ event: 'summary', healthy: counts.failed === 0, ...counts });
    if (!flags.json) output.say(counts.failed === 0 ? '\nReady.' : `\n${counted(counts.failed, 'thing')} to mend.`);
    return counts.failed === 0 ? exitCodes.passed : exitCodes.failed;
  } catch (error) {
    return reportFailure(error, output, resolve(flags.root));
  }
}

/** Lines of Node.js that Drillyard runs on although nobody mends them any more. */
const endedLines = [20];

export function nodeVersion(version: string): DoctorFinding {
  const { nodeVersions } = installation();
  if (!satisfies(version, nodeVersions))
    return {
      status: 'failed',
      message: `Node.js ${version} is not ${nodeVersions}.`,
      fix: 'Install a newer Node.js from https://nodejs.org.',
    };
  const message = `Node.js ${version} for ${process.platform} ${process.arch}`;
  if (!endedLines.includes(Number(version.split('.')[0]))) return { status: 'ok', message };
  return {
    status: 'warning',
    message: `${message}, a line that gets no security fixes any more`,
    fix: 'It works; 22, 24 and 26 are maintained.',
  };
}

async function nativeStorage(): Promise<DoctorFinding> {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-doctor-'));
  try {
    const { KvWriter } = await import('../worlds/kv/writer.js');
    await KvWriter.open({ directory, durability: 'flushed' }).close();
    return { status: 'ok', message: 'LMDB loads and writes' };
  } catch (error) {
    return {
      status: 'failed',
      message: `LMDB does not work: ${(error as Error).message}`,
      fix: 'Install again with `npm install drillyard`, optional dependencies included.',
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function nativeServer(): Promise<DoctorFinding> {
  const { loadUws } = await import('../http/uws-binary.js');
  if (loadUws() !== undefined) return { status: 'ok', message: 'uWebSockets.js loads' };
  return {
    status: 'warning',
    message: 'uWebSockets.js does not load: node:http takes its place, which is slower for the hosted service and no different otherwise.',
    fix: 'For `drillyard serve` under load, install uWebSockets.js beside it: see "The two servers" in docs/hosting.md.',
  };
}

async function bundler(): Promise<DoctorFinding> {
  const { loadEsbuild } = await import('../compiler/esbuild.js');
  try {
    await loadEsbuild();
    return { status: 'ok', message: 'esbuild starts' };
  } catch (error) {
    return {
      status: 'failed',
      message: (error as Error).message,
      fix: 'Remove node_modules and run `npm install` on this platform, without --omit=optional.',
    };
  }
}

/** Tools are reached by sockets on this machine's own address. */
function loopback(): Promise<DoctorFinding> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error) => {
      done({
        status: 'failed',
        message: `Nothing can listen on 127.0.0.1: ${error.message}`,
        fix: 'Allow loopback sockets for this process, in its container or sandbox.',
      });
    });
    server.listen(0, '127.0.0.1', () => server.close(() => done({ status: 'ok', message: 'sockets on 127.0.0.1' })));
  });
}

export function writableFolder(root: string): DoctorFinding {
  let folder = join(root, localFolder);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  try {
    // Rights alone do not tell: a folder may lie on a file system that takes nothing.
    rmSync(mkdtempSync(join(folder, '.drillyard-doctor-')), { recursive: true });
    return { status: 'ok', message: `${join(root, localFolder)} can be written` };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return {
      status: 'failed',
      message: `${folder} cannot be written (${code}), and runs and reports go below it.`,
      fix: 'Give yourself the right to, or name other folders with --run-dir and --report-dir.',
    };
  }
}

export function freeDisk(root: string, statfs: typeof statfsSync = statfsSync): DoctorFinding {
  let folder = root;
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const { bavail, bsize } = statfs(folder);
  const freeMib = Math.floor((bavail * bsize) / mebibyte);
  const message = `${freeMib >= 10 * 1024 ? `${Math.floor(freeMib / 1024)} GiB` : `${freeMib} MiB`} free where runs are kept`;
  if (freeMib >= limits.doctorDiskWantedMib) return { status: 'ok', message };
  return {
    status: freeMib >= limits.doctorDiskNeededMib ? 'warning' : 'failed',
    message,
    fix: 'Free some space, or remove old runs: `drillyard clean --keep 0` shows what they take.',
  };
}

async function repository({ root, config }: SourceFlags): Promise<DoctorFinding> {
  const file = config ?? 'drillyard.json';
  if (!existsSync(resolve(root, file)))
    return {
      status: 'warning',
      message: `There is no ${file} in ${resolve(root)}: this is no repository yet.`,
      fix: 'Run `drillyard init`, or name the repository with --root.',
    };
  const compiled = await compileShown({ root, ...defined({ config }) }).catch((error: unknown) => {
    if (!isServiceError(error, 'control.UNAVAILABLE')) throw error;
  });
  if (compiled === undefined) return { status: 'failed', message: 'The repository cannot be compiled.', fix: 'Mend the bundler first.' };
  const { build, diagnostics } = compiled;
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  if (build === undefined)
    return {
      status: 'failed',
      message: `The repository does not compile: ${counted(errors, 'error')}.`,
      fix: '`drillyard validate` shows each with its place.',
    };
  if (diagnostics.length > 0)
    return {
      status: 'warning',
      message: `The repository compiles, with ${counted(diagnostics.length, 'warning')}.`,
      fix: '`drillyard validate` shows each with its place.',
    };
  return { status: 'ok', message: `the repository compiles: ${counted(build.drills.length, 'drill')}` };
}
