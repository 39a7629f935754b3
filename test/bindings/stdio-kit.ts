// `drillyard world mcp` as a client starts it, spoken to line by line.
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import type { Access } from '../../src/drills/ports/bindings-port.js';
import { nodeArguments } from '../cli/cli.js';

export interface Message {
  id?: string | number;
  result: { tools?: unknown[]; supportedVersions?: string[]; resultType?: string; cacheScope?: string; structuredContent?: unknown };
  error: { code: number; data: { code: string; retryable: boolean } };
}
export interface StdioServer {
  child: ChildProcessWithoutNullStreams;
  /** Texts and bytes go as they are, with their line's end. */
  send(message: object | string | Buffer): void;
  /** The next line that comes, which must be JSON. */
  next(): Promise<Message>;
  /** Closes stdin, and yields what still came. */
  end(): Promise<{ code: number | null; rest: unknown[]; stderr: string }>;
}

export const stdioArguments = [...nodeArguments, 'world', 'mcp'];

/** Its environment in a drill whose target has the binding. */
export function environmentOf({ endpoints: { mcp, cli } }: Access): { [name: string]: string } {
  return {
    ...(mcp && { SERVICE_MCP_URL: mcp.url, SERVICE_MCP_TOKEN: mcp.token }),
    ...(cli && { SERVICE_CLI_URL: cli.url, SERVICE_CLI_TOKEN: cli.token }),
  };
}

export function startStdio(context: TestContext, env: { [name: string]: string }): StdioServer {
  const child = spawn(process.execPath, stdioArguments, { env: { PATH: process.env.PATH, ...env }, stdio: 'pipe' });
  context.after(() => child.kill());
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async (): Promise<Message | undefined> => {
    const { value, done } = await lines.next();
    return done === true ? undefined : (JSON.parse(value) as Message);
  };
  return {
    child,
    send: (message) =>
      void child.stdin.write(typeof message === 'string' || Buffer.isBuffer(message) ? message : `${JSON.stringify(message)}\n`),
    next: async () => (await read()) ?? assert.fail(`the output has ended; stderr: ${stderr}`),
    end: async () => {
      child.stdin.end();
      const rest: unknown[] = [];
      for (let line = await read(); line !== undefined; line = await read()) rest.push(line);
      const [code] = await ended;
      return { code, rest, stderr };
    },
  };
}
