// Runs as a child, for spawn-child.test.ts: says what environment it has, leaves a process that holds its channel, and ends. That process
// writes one more message a while later.
import { spawn } from 'node:child_process';
import { openParentChannel } from '../../src/processes/parent-channel.js';
import { channelDescriptor } from '../../src/processes/spawn-child.js';

const text = JSON.stringify({ from: 'heir' });
const write = `require('node:fs').writeSync(3, Buffer.concat([Buffer.from([${text.length}, 0, 0, 0]), Buffer.from('${text}')]))`;

const channel = openParentChannel(() => {
  channel.send({ from: 'child', environment: Object.keys(process.env) });
  spawn(process.execPath, ['-e', `setTimeout(() => ${write}, 300)`], { stdio: ['ignore', 'ignore', 'ignore', channelDescriptor] });
  setImmediate(() => process.exit(0));
});
