// A port for a program that a test starts later. It lies below those that the kernel hands out: one of these may belong to a connection or
// to a server of another test before the program asks for it, and nginx, say, waits for it and then ends.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const first = 10_240;

/** Of the loopback interface, free at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * (firstOfKernel() - first));
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

function firstOfKernel(): number {
  try {
    const range = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
    return range > first + 1_000 ? range : 32_768;
  } catch {
    return 32_768; // Not Linux: the usual start there is higher.
  }
}
