// A child's end of the channel to its parent (spawn-child.ts).
import { Socket } from 'node:net';
import { limits } from '../contract/limits.js';
import { JsonChannel } from './json-channel.js';
import { channelDescriptor } from './spawn-child.js';

/**
 * The process lives as long as its parent: it ends when the channel does, and no signal that is meant for a whole process group ends it before
 * its parent has finished with it.
 */
export function openParentChannel(onMessage: (value: unknown) => void, messageBytesMax: number = limits.childMessageBytesMax): JsonChannel {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const stream = new Socket({ fd: channelDescriptor, readable: true, writable: true });
  const leave = (): never => process.exit();
  return new JsonChannel(stream, messageBytesMax, { message: onMessage, violation: leave, closed: leave });
}
