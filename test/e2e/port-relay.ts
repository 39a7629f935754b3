// A port of this process's loopback, on the loopback of other networks too. Files are the same in all of them, so a socket in a folder
// leads from one to the other.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { passOn } from './port-relay-entry.js';

export interface PortRelay {
  end(): void;
}

/** `networks`: words before a command that runs in one of them. Resolves when each of them listens at the port. */
export async function relayPort(port: number, { folder, networks }: { folder: string; networks: readonly string[][] }): Promise<PortRelay> {
  const path = join(folder, `port-${port}`);
  const server = createServer((socket) => passOn(socket, { host: '127.0.0.1', port })).listen(path);
  await once(server, 'listening');
  const entry = fileURLToPath(new URL('./port-relay-entry.js', import.meta.url));
  const children = networks.map(([program, ...words]): ChildProcess => {
    const command = [...words, process.execPath, entry, String(port), path];
    return spawn(program as string, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  });
  const relay = {
    end: (): void => {
      for (const child of children) child.kill('SIGKILL');
      server.close();
    },
  };
  try {
    await Promise.all(children.map(listens));
  } catch (error) {
    relay.end();
    throw error;
  }
  return relay;
}

async function listens(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the relay of a port ended with ${code}`);
  });
  ended.catch(() => {});
  await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended]);
}
