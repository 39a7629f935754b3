// Listens on loopback of the network it runs in, and passes each connection on to a socket in the file system: port-relay-entry PORT PATH.
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** Where one side ends, so does the other. */
export function passOn(socket: Socket, to: NetConnectOpts): void {
  const onward = connect(to);
  for (const [one, other] of [
    [socket, onward],
    [onward, socket],
  ] as const)
    one.on('error', () => other.destroy()).on('close', () => other.destroy());
  socket.pipe(onward).pipe(socket);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [port, path] = process.argv.slice(2);
  createServer((socket) => passOn(socket, { path: path as string })).listen(Number(port), '127.0.0.1', () => console.log('listens'));
}
