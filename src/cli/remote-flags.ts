// Which hosted service a command uses, and with which credential: from a file of its owner's or from the environment, never from an
// argument, which everybody on the machine can see.
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { readPrivateFile } from '../control/catalog/private-file.js';
import type { RemoteOptions } from '../remote/connection.js';

export interface RemoteFlags {
  url?: string;
  project?: string;
  environment?: string;
  draft?: string;
  tokenFile?: string;
}

/** Takes the token out of the environment: agents and tools that run in this process find none there. */
export function remoteOptionsOf({ tokenFile, url, ...flags }: RemoteFlags, environment: NodeJS.ProcessEnv): RemoteOptions {
  const { DRILLYARD_TOKEN, DRILLYARD_REMOTE } = environment;
  delete environment.DRILLYARD_TOKEN;
  const credential = tokenFile === undefined ? DRILLYARD_TOKEN?.trim() : tokenIn(tokenFile);
  if (credential === undefined || credential === '') {
    throw unusable('There is no credential for the service: set DRILLYARD_TOKEN, or name a file with --token-file.');
  }
  if (!/^[\x21-\x7e]{1,512}$/.test(credential))
    throw unusable('The credential for the service is no credential: it has characters that none has.');
  const named = url ?? (DRILLYARD_REMOTE || undefined);
  return { ...flags, ...defined({ url: named }), credential };
}

function tokenIn(file: string): string {
  const text = readPrivateFile({ file, what: 'token file' });
  if (text === undefined) throw unusable(`There is no token file ${file}.`);
  return text;
}

const unusable = (message: string): ServiceError => new ServiceError('control.INVALID_REQUEST', { message });
