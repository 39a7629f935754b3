// Between a node and its database: a session of the test's choice goes silent, as when the other machine is gone without a word.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SilentSessions {
  url: string;
  /** The session whose next message has this text is never answered, nor ended; resolves when it has come. */
  silence(text: string): Promise<void>;
  close(): Promise<void>;
}

export async function silentSessions(database: string): Promise<SilentSessions> {
  const { hostname: host, port } = new URL(database);
  const sockets = new Set<Socket>();
  let wanted: { text: string; came(): void } | undefined;
  const proxy = createServer((client) => {
    const server = connect({ host, port: Number(port) });
    let isSilent = false;
    const pass = (from: Socket, to: Socket, look: (bytes: Buffer) => void): void => {
      sockets.add(from);
      from.on('data', (bytes) => {
        look(bytes);
        if (!isSilent) to.write(bytes);
      });
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    };
    pass(client, server, (bytes) => {
      if (wanted === undefined || !bytes.includes(wanted.text)) return;
      isSilent = true;
      wanted.came();
      wanted = undefined;
    });
    pass(server, client, () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(database);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: url.href,
    silence: (text) =>
      new Promise((came) => {
        wanted = { text, came };
      }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
