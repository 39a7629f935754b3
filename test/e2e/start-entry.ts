// Starts the service on one data directory after another, and writes a line for each: what it was refused with, or that it started.
import { startControlServer } from '../../src/control-server.js';

for (const dataDirectory of process.argv.slice(2)) {
  const outcome = await startControlServer({
    ...{ dataDirectory, port: 0, workers: 1, isolation: 'thread', trustToolCode: true, log: { level: 'silent' } },
  }).then(
    async (server) => {
      await server.close();
      return 'started';
    },
    (error: Error) => error.message,
  );
  process.stdout.write(`${JSON.stringify({ dataDirectory, outcome })}\n`);
}
