// Whether a build of uWebSockets.js keeps bytes above 0x7f at the ends of a header's value. Where they are of a signed type, it takes them
// for white space and drops them before anybody sees the value: two values become one, and nothing behind the parser can tell. So the build
// is asked.
import { connect } from 'node:net';
import type { Uws } from './uws-binary.js';

const asked = 'GET / HTTP/1.1\r\nHost: a\r\nX-Ends: \xe9a\xe9\r\n\r\n';

/** Asks over a port of loopback that is open for one request; false where it cannot be asked. */
export function keepsHighBytes(uws: Uws): Promise<boolean> {
  return new Promise((resolve) => {
    let length = 0;
    const app = uws.App().any('/*', (response, request) => {
      request.forEach((name, value) => {
        if (name === 'x-ends') length = value.length;
      });
      response.end('', true);
    });
    app.listen('127.0.0.1', 0, 1, (socket) => {
      if (socket === false) return resolve(false);
      const client = connect(uws.us_socket_local_port(socket), '127.0.0.1', () => client.write(asked, 'latin1'));
      client.on('error', () => {}).resume();
      client.once('close', () => {
        app.close();
        resolve(length === 3);
      });
    });
  });
}
