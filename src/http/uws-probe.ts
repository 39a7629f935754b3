// Whether a build of uWebSockets.js sees all of a request, and no more requests than were sent. Known builds do not:
// - Where bytes are of a signed type, those above 0x7f at the ends of a header's value are taken for white space and dropped before anybody
//   sees the value: two values become one.
// - A field with an empty name ends the list of fields: what stands behind it, a length or a second host, is hidden.
// - Where a chunk ends is not checked: any two bytes end it, and what comes behind the last one is the next request.
// Nothing behind the parser can tell. So the build is asked.
import { connect } from 'node:net';
import type { Uws } from './uws-binary.js';

const behind = 'GET /behind HTTP/1.1\r\nHost: a\r\n\r\n';
const chunked = 'POST /whole HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
/** Each with what must have been seen of it; of a malformed one, nothing of what stands behind its fault. */
const questions: readonly { bytes: string; isRight(seen: readonly string[]): boolean }[] = [
  { bytes: 'GET / HTTP/1.1\r\nHost: a\r\nX-Ends: \xe9a\xe9\r\n\r\n', isRight: (seen) => seen.includes('x-ends 3') },
  { bytes: 'GET / HTTP/1.1\r\nHost: a\r\n: v\r\nX-Hidden: a\r\n\r\n', isRight: (seen) => seen.length === 0 || seen.includes('x-hidden 1') },
  ...['2\r\nab??0\r\n\r\n', '2\r\nab\r\n0\r\n??'].map((body) => ({
    bytes: chunked + body + behind,
    isRight: (seen: readonly string[]) => !seen.includes('/behind'),
  })),
];

/** Asks over a port of loopback that is open for these requests; false where it cannot be asked. */
export async function readsRequestsWhole(uws: Uws): Promise<boolean> {
  for (const { bytes, isRight } of questions) {
    const seen = await seenOf(uws, bytes);
    if (seen === undefined || !isRight(seen)) return false;
  }
  return true;
}

/** The paths of the requests that were seen, and of each of their fields the name and the length of the value. */
function seenOf(uws: Uws, bytes: string): Promise<string[] | undefined> {
  return new Promise((resolve) => {
    const seen: string[] = [];
    const app = uws.App().any('/*', (response, request) => {
      seen.push(request.getUrl());
      request.forEach((name, value) => {
        seen.push(`${name} ${value.length}`);
      });
      response.onAborted(() => {});
      response.end('', false);
    });
    app.listen('127.0.0.1', 0, 1, (socket) => {
      if (socket === false) return resolve(undefined);
      // It ends with its bytes: a build that waits for more of a request hangs up.
      const client = connect(uws.us_socket_local_port(socket), '127.0.0.1', () => client.end(bytes, 'latin1'));
      client.on('error', () => {}).resume();
      client.once('close', () => {
        app.close();
        resolve(seen);
      });
    });
  });
}
