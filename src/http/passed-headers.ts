// Which header fields a node passes on, either way: all but those of the connection (RFC 9110 7.6.1).
import { nodeHeaders } from './node-token.js';
import type { ServerRequest } from './server.js';

/** Of a connection, whether or not its Connection header names them. */
const ofConnection = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'];
/** The sender writes them itself; and the client that expected to be asked for its body has been. */
const ofNodes = [nodeHeaders.token, nodeHeaders.client, nodeHeaders.format];
const ofRequest = new Set([...ofConnection, 'host', 'content-length', 'expect', ...ofNodes]);
const ofReply = new Set([...ofConnection, 'content-length', nodeHeaders.notOwner]);

/** Name and value in turns, a repeated one as often as it came. Host is as the client sent it, whatever its Connection header names. */
export function passedRequestHeaders({ headers, repeatedHeaders }: Pick<ServerRequest, 'headers' | 'repeatedHeaders'>): string[] {
  const named = namedBy(headers.get('connection'));
  const passed = ['host', headers.get('host') ?? ''];
  for (const [name, joined] of headers) {
    if (ofRequest.has(name) || named?.has(name) === true) continue;
    for (const value of repeatedHeaders.get(name) ?? [joined]) passed.push(name, value);
  }
  return passed;
}

/** From name and value in turns, as they came. An owner writes no name twice; where one does, the values are one list. */
export function passedReplyHeaders(raw: readonly string[]): { [name: string]: string } {
  const headers = new Map<string, string>();
  for (let place = 0; place < raw.length; place += 2) {
    const name = (raw[place] as string).toLowerCase();
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? (raw[place + 1] as string) : `${earlier}, ${raw[place + 1]}`);
  }
  const named = namedBy(headers.get('connection'));
  return Object.fromEntries([...headers].filter(([name]) => !ofReply.has(name) && named?.has(name) !== true));
}

/** The fields that a Connection header makes part of the connection; undefined where it names none. */
function namedBy(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}
