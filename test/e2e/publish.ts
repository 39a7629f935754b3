// A project of a service, from source to an environment whose build it is.
import type { Client } from '../../src/client/client.js';
import type { BuildAttempt } from '../../src/contract/hosted/source.js';

type SourceText = { path: string; content: string };

export interface Published {
  projectId: string;
  environmentId: string;
  buildHash: string;
}

/** Rejects with the diagnostics of source that does not compile. */
export async function publish(client: Client, name: string, files: SourceText[]): Promise<Published> {
  const { projectId } = (await client.createProject({ body: { name } })).project;
  const { sourceDraft } = await client.createSourceDraft({ path: { projectId }, body: { name, files } });
  const { operation } = await client.createBuild({ path: { projectId, sourceDraftId: sourceDraft.sourceDraftId, revision: 1 }, body: {} });
  const { result } = await client.waitForOperation({ projectId, operationId: operation.operationId });
  const { attempt } = result as unknown as { attempt: BuildAttempt };
  const { buildHash } = attempt;
  if (buildHash === undefined) throw new Error(JSON.stringify(attempt));
  const { environmentId } = (await client.createEnvironment({ path: { projectId }, body: { name, buildHash } })).environment;
  return { projectId, environmentId, buildHash };
}

/** The files of a folder, by paths below it. */
export const filesOf = (source: { readonly [path: string]: string }): SourceText[] =>
  Object.entries(source).map(([path, content]) => ({ path, content }));
