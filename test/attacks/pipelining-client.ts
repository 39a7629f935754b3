// A client who pipelines, in a process of its own, so that what it costs to write and to ask is not measured as the service's.
//   node pipelining-client.js PORT
import assert from 'node:assert/strict';
import { connect } from 'node:net';

const sockets = 8;
const requestsEach = 2000;
const rounds = 10;
const port = Number(process.argv[2]);
const bytes = 'GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requestsEach);

/** Others are answered. */
async function ask(): Promise<void> {
  for (let asked = 0; asked < 100; asked++) {
    const reply = await fetch(`http://127.0.0.1:${port}/healthz`);
    assert.equal(reply.status, 200);
    await reply.arrayBuffer();
  }
}

for (let round = 0; round < rounds; round++) {
  const flood = Array.from({ length: sockets }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(bytes);
    return socket;
  });
  for (let asked = 0; asked < 10; asked++) await ask();
  const closed = flood.map((socket) => new Promise((resolve) => (socket.closed ? resolve(0) : socket.once('close', resolve))));
  for (const socket of flood) socket.destroy();
  await Promise.all(closed);
  await ask();
}
