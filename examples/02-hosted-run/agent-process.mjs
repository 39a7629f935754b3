// Runs the agent as a process that knows nothing of the service: its task on stdin, its tools behind SERVICE_HTTP_URL, its answer on stdout.
// It is given a world credential, which opens the world of this one interaction and nothing else.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const agent = fileURLToPath(new URL('refund-agent.mjs', import.meta.url));

/** What is handed in of the interaction. */
export async function runAgent(invocation, { worldHttpUrl, credential }) {
  const child = spawn(process.execPath, [agent], {
    env: { PATH: process.env.PATH, SERVICE_HTTP_URL: worldHttpUrl, SERVICE_HTTP_TOKEN: credential },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(invocation));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) return { status: 'failed', error: { code: 'target.EXITED', message: `The agent ended with ${code}.` }, attachments: [] };
  return { status: 'completed', output: JSON.parse(output), attachments: [] };
}
