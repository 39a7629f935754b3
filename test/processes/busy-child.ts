// A child for spawn-child.test.ts: says who it is, and is then busy for ever.
import { openParentChannel } from '../../src/processes/parent-channel.js';

const channel = openParentChannel(() => {
  channel.send({ pid: process.pid });
  setImmediate(() => {
    for (;;);
  });
});
