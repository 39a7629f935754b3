// An S3 server of somebody else inside the test, with its objects in a folder. It reads the form of signatures, not their values.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

export interface S3Server {
  /** As `--cluster-store` takes it. */
  store(prefix: string): string;
  folder: string;
  stop(): Promise<void>;
}

/** The client reads its credentials from the environment, as it does for everybody. */
export async function startS3(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'drillyard-s3-'));
  const before = { ...process.env };
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: folder,
    configureBuckets: [{ name: 'homes', configs: [] }],
  });
  const { port } = await server.run();
  return {
    folder,
    store: (prefix) => `s3://homes/${prefix}?endpoint=http://127.0.0.1:${port}`,
    stop: async () => {
      await server.close();
      for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
