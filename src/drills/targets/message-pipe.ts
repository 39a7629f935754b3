// Messages over a pipe between two processes, each as its length and its structured clone. Not over node's own channel: that one ends the
// process that reads when the other writes anything else into it, and an agent has every file descriptor of its process.
import type { Duplex } from 'node:stream';
import { deserialize, serialize } from 'node:v8';
import { limits } from '../../contract/limits.js';

const headBytes = 4;

export function sendMessage(pipe: Duplex, message: object): void {
  const content = serialize(message);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(content.length);
  pipe.write(Buffer.concat([head, content]));
}

/** `broken`: what came is no message. Nothing is read after it. */
export function readMessages(pipe: Duplex, { receive, broken }: { receive: (message: unknown) => void; broken: () => void }): void {
  let held: Buffer[] = [];
  let bytes = 0;
  /** Of the message that is coming; undefined until its head is there. */
  let length: number | undefined;
  const take = (count: number): Buffer => {
    // Of one chunk, which may hold many messages, no copy is made.
    const all = held.length === 1 ? held[0]! : Buffer.concat(held);
    held = [all.subarray(count)];
    bytes -= count;
    return all.subarray(0, count);
  };
  const isSound = (): boolean => {
    if (length === undefined) {
      length = take(headBytes).readUInt32BE();
      return length <= limits.moduleMessageBytesMax;
    }
    const message = messageIn(take(length));
    length = undefined;
    if (message !== undefined) receive(message);
    return message !== undefined;
  };
  const read = (chunk: Buffer): void => {
    held.push(chunk);
    bytes += chunk.length;
    while (bytes >= (length ?? headBytes)) {
      if (isSound()) continue;
      pipe.off('data', read);
      broken();
      return;
    }
  };
  pipe.on('data', read);
}

function messageIn(bytes: Buffer): unknown {
  try {
    return deserialize(bytes) as unknown;
  } catch {
    return undefined;
  }
}
