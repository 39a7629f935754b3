// Runs as a child, for boxes.test.ts: writes to its parent what no honest child writes.
import { writeSync } from 'node:fs';
import { openParentChannel } from '../../src/processes/parent-channel.js';
import { channelDescriptor } from '../../src/processes/spawn-child.js';

const frame = (text: string, length = Buffer.byteLength(text)): Buffer => {
  const header = Buffer.alloc(4);
  header.writeUInt32LE(length);
  return Buffer.concat([header, Buffer.from(text)]);
};

openParentChannel((message) => {
  const { how } = message as { how: 'no json' | 'too long' | 'half' | 'flood' | 'twice' };
  if (how === 'no json') writeSync(channelDescriptor, frame('{'));
  if (how === 'twice') writeSync(channelDescriptor, Buffer.concat([frame('{}'), frame('{}')]));
  if (how === 'too long') writeSync(channelDescriptor, frame('{}', 0xffff_ffff));
  if (how === 'half') {
    writeSync(channelDescriptor, frame('{"lane":"mail"}', 100));
    process.exit(0);
  }
  if (how === 'flood') {
    for (let line = 0; line < 5; line++) console.error('x'.repeat(100));
    process.exit(3);
  }
});
