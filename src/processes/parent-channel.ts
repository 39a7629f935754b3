// A child's end of the channel to its parent (spawn-child.ts).
import { Socket } from 'node:net';
import { limits } from '../contract/limits.js';
import { FramedChannel } from './framed-channel.js';
import { childCodec } from './json-messages.js';
import { channelDescriptor } from './spawn-child.js';

/** No signal that is meant for a whole process group ends the process before its parent has finished with it. */
export function outliveSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
}

/** The process, or the thread that opens it, ends when the channel does. */
export function openParentChannel(
  onMessage: (value: unknown) => void,
  messageBytesMax: number = limits.childMessageBytesMax,
): FramedChannel {
  const stream = new Socket({ fd: channelDescriptor, readable: true, writable: true });
  const leave = (): never => process.exit();
  return new FramedChannel(stream, { codec: childCodec, messageBytesMax }, { message: onMessage, violation: leave, closed: leave });
}
