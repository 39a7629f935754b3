// esbuild, loaded when somebody asks, as it takes some 40 ms.
// Its work is done by a child process. Ctrl-C on a terminal goes to every process of the group, and a child that ended while a bundle is
// made takes this process with it: a plugin's answer finds no receiver. The child is therefore in a group of its own; it ends when its
// standard input does.
import childProcess from 'node:child_process';
import { ServiceError } from '../contract/errors.js';

type Esbuild = typeof import('esbuild');
let loading: Promise<Esbuild> | undefined;
let forgetChild: (() => void) | undefined;

/** Rejects with control.UNAVAILABLE where it is not installed whole: its program is an optional dependency, one a platform. */
export function loadEsbuild(): Promise<Esbuild> {
  loading ??= import('esbuild').then(startApart).catch(notStarted);
  return loading;
}

function notStarted(cause: Error): never {
  const [why] = cause.message.split('\n', 1);
  throw new ServiceError('control.UNAVAILABLE', {
    message: `esbuild, which bundles tools and agents, does not start: ${why?.replace(/\.$/, '')}. Install the packages again for this platform, optional dependencies included.`,
    isFinal: true,
    cause,
  });
}

/**
 * Whether an error says that the child has ended: it is written in Go, which ends a program that nests too deeply. The next
 * that loads it has another child.
 */
export function hasEnded(error: unknown): boolean {
  const isEnd = /^The service (?:was stopped|is no longer running)/.test(String((error as Error).message ?? error));
  if (isEnd) forgetChild?.();
  return isEnd;
}

/** Of a module at which it did. */
export const endedText = 'esbuild ended while it read the module or one that it imports: brackets or operators are nested too deeply';

/** esbuild has no option for it, and starts its child in the first call, before that returns. */
async function startApart(esbuild: Esbuild): Promise<Esbuild> {
  // On Windows no signal goes to a group, and a detached child would have a console.
  if (process.platform === 'win32') return esbuild;
  const { spawn } = childProcess;
  const apart = (file: string, args: readonly string[], options: childProcess.SpawnOptions) => {
    // What it says where it fails is a trace of its own stack.
    const child = spawn(file, args, { ...options, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
    forgetChild = () => {
      forgetChild = undefined;
      loading = undefined;
      void esbuild.stop();
    };
    child.stdout?.once('end', forgetChild);
    return child;
  };
  let started: Promise<unknown>;
  childProcess.spawn = apart as typeof spawn;
  try {
    started = esbuild.transform('');
  } finally {
    childProcess.spawn = spawn;
  }
  await started;
  return esbuild;
}
