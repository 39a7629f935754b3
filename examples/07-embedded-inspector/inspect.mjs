// The application with the inspector inside: it hands over its agent, starts its drills, follows them, and leaves the window open.
//   node inspect.mjs          until Ctrl-C
//   node inspect.mjs --once   until the drills are done; the exit code is their verdict
import { fileURLToPath } from 'node:url';
import { startLocalSimulationServer } from 'drillyard';
import { orderClerk } from './app/order-clerk.mjs';

const inspector = await startLocalSimulationServer({ root: fileURLToPath(new URL('.', import.meta.url)), agent: orderClerk });
const { baseUrl, token } = inspector;
const ask = async (path, body) => {
  const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const reply = await fetch(`${baseUrl}/api/v1${path}`, {
    headers,
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return reply;
};

/** The server's events as they happen. They come through fetch, so the token stays in a header. */
async function* events() {
  let rest = '';
  for await (const piece of (await ask('/events')).body.pipeThrough(new TextDecoderStream())) {
    const messages = (rest + piece).split('\n\n');
    rest = messages.pop();
    for (const message of messages) {
      const line = message.split('\n').find((one) => one.startsWith('data: '));
      if (line !== undefined) yield JSON.parse(line.slice('data: '.length));
    }
  }
}

const following = events();
await following.next(); // The stream is open: nothing that begins from here on is missed.
const { request } = await (await ask('/run-requests', { suiteId: 'orders' })).json();
let verdicts = [];
for await (const event of following) {
  if (event.type === 'run' && event.phase === 'finished') console.log(`${event.run.verdict.padEnd(12)} ${event.run.drillId}`);
  if (event.type !== 'run-request' || event.request.requestId !== request.requestId) continue;
  verdicts = event.request.runs.map(({ verdict }) => verdict);
  if (event.request.finishedAtMs !== undefined) break;
}
const passed = verdicts.length > 0 && verdicts.every((verdict) => verdict === 'passed');

if (process.argv.includes('--once')) {
  process.exitCode = passed ? 0 : 1;
  await inspector.close();
} else {
  console.log(`\nLook at them: ${baseUrl}/#/runs?token=${token}\nCtrl-C ends it.`);
  process.once('SIGINT', () => inspector.close());
}
