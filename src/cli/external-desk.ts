// The agent desk of `run --external`, shown to the process that plays the agent: where it is, and each interaction that waits. Secrets go
// to stdout, where the agent reads, or into a file that only its owner may read, and then nowhere else.
import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileRefusal } from '../files/file-faults.js';
import { makeFolder } from '../files/make-folder.js';
import { type AgentDesk, startAgentDesk } from '../index.js';
import type { Output } from './output.js';

export interface ExternalDesk extends Pick<AgentDesk, 'agent'> {
  close(): Promise<void>;
}

export async function openExternalDesk(output: Output, file: string | undefined): Promise<ExternalDesk> {
  const desk = await startAgentDesk({
    onPending: ({ environment, ...invocation }) => {
      output.line({ event: 'interaction_pending', interaction: file === undefined ? { ...invocation, environment } : invocation });
    },
  });
  const { agent, url, token } = desk;
  if (file === undefined) {
    output.line({ event: 'agent_desk', url, token });
    return { agent, close: () => desk.close() };
  }
  const path = resolve(file);
  try {
    writePrivate(path, `${JSON.stringify({ schemaVersion: 1, url, token })}\n`);
  } catch (error) {
    await desk.close();
    throw error;
  }
  output.line({ event: 'agent_desk', url, file: path });
  return {
    agent,
    close: async () => {
      rmSync(path, { force: true });
      await desk.close();
    },
  };
}

/** Appears whole, and never with other rights: what lies or links there is replaced, not written through. */
function writePrivate(path: string, text: string): void {
  makeFolder(dirname(path));
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw fileRefusal(`The file ${path} cannot be written`, path, error);
  }
}
