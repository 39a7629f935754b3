// A hosted service as a repository uses it: its client, and the project that the source and the runs belong to.
import { type Client, createClient } from '../client/client.js';
import { ControlError } from '../client/control-error.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import type { Me } from '../contract/hosted/organization.js';
import { membersOf } from '../contract/known-options.js';
import type { RemoteService } from '../contract/run/project-files.js';
import { reachingFetch, refusalOf, requireServiceUrl } from './service-url.js';
import { tuning } from './tuning.js';

/** What is absent is the root file's `remote`, or its default (docs/files.md). */
export interface RemoteOptions extends Partial<RemoteService> {
  /** A control credential. It goes to the service and nowhere else. */
  credential: string;
}
export const remoteShape = membersOf<RemoteOptions>({
  ...{ url: 'text', project: 'text', environment: 'text', draft: 'text', credential: { required: 'text' } },
});

export interface Remote {
  readonly client: Client;
  readonly url: string;
  readonly credential: string;
  readonly projectId: string;
  readonly environment: string | undefined;
  readonly draft: string | undefined;
}

/** control.INVALID_REQUEST where it is not clear which service, or which project. */
export async function connectRemote(
  { credential, ...given }: RemoteOptions,
  written: RemoteService | undefined,
  signal: AbortSignal | undefined,
): Promise<Remote> {
  const { url, project, environment, draft } = { ...written, ...withoutAbsent(given) };
  if (url === undefined) {
    throw unclear('No service is named: use --remote <url>, or "remote": { "url": ... } in the root file.');
  }
  const baseUrl = requireServiceUrl(url);
  const client = createClient({ baseUrl, credential, fetch: reachingFetch(baseUrl) });
  // Asked in any case, so that what is no service is named as none. Where nobody is there, a user waits for the answer to a wrong URL.
  const me = await asked(() => client.getMe(undefined, { retries: tuning.connectRetries, ...defined({ signal }) }));
  const projectId = project ?? onlyProject(projectsOf(me, baseUrl));
  return { client, url: baseUrl, credential, projectId, environment, draft };
}

/** Refusals of the service, as ours. */
export async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ControlError) throw refusalOf(error);
    if (error instanceof TypeError && error.cause instanceof Error)
      throw new ServiceError('control.UNAVAILABLE', { message: error.message });
    throw error;
  }
}

/** Where sessions are created: any environment takes a session of any build of its project. */
export async function environmentOf({ client, projectId, environment }: Remote, signal: AbortSignal | undefined): Promise<string> {
  if (environment !== undefined) return environment;
  for await (const { items } of client.pages('listEnvironments', { path: { projectId } }, defined({ signal }))) {
    const active = items.find(({ state }) => state === 'active');
    if (active !== undefined) return active.environmentId;
  }
  throw unclear(`The project ${projectId} has no active environment. Create one, or name one of another project.`);
}

/** What some other service answers may be anything. */
function projectsOf(me: Partial<Me> | null, baseUrl: string): Me['projects'] {
  const projects: unknown = me?.projects;
  const isProject = (one: unknown): boolean => typeof (one as Partial<Me['projects'][number]> | null)?.projectId === 'string';
  if (Array.isArray(projects) && projects.every(isProject)) return projects as Me['projects'];
  throw new ServiceError('control.UNAVAILABLE', {
    message: `${baseUrl} is not a Drillyard service: it does not say what the credential opens.`,
  });
}

function onlyProject(projects: Me['projects']): string {
  const [first, ...others] = projects;
  if (first === undefined) throw unclear('The credential may do nothing in any project.');
  if (others.length === 0) return first.projectId;
  const named = projects.slice(0, tuning.projectsListed).map(({ projectId }) => projectId);
  throw unclear(`The credential opens several projects; name one with --project, or in the root file. There are: ${named.join(', ')}.`);
}

function withoutAbsent<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<T>;
}

const unclear = (message: string): ServiceError => new ServiceError('control.INVALID_REQUEST', { message });
