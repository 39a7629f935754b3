// The way of `drillyard admin` to its service: where it is, and the operator's token, from flags, the environment or the data directory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '../client/client.js';
import { ServiceError } from '../contract/errors.js';
import { operatorTokenFile, settingsDefaults } from '../control/catalog/settings.js';
import { requireServiceUrl } from '../remote/service-url.js';

export interface AdminConnection {
  url?: string;
  token?: string;
  tokenFile?: string;
  json: boolean;
}

/** control.INVALID_REQUEST where something is missing or would send the token over a network in the clear. */
export async function operatorClient({ url, token, tokenFile }: Omit<AdminConnection, 'json'>): Promise<Client> {
  const { DRILLYARD_URL, DRILLYARD_OPERATOR_TOKEN, DRILLYARD_OPERATOR_TOKEN_FILE } = process.env;
  const baseUrl = requireServiceUrl(url ?? (DRILLYARD_URL || `http://${settingsDefaults.host}:${settingsDefaults.port}`));
  const given = token ?? (tokenFile === undefined ? DRILLYARD_OPERATOR_TOKEN || undefined : undefined);
  const credential =
    given ?? tokenIn(tokenFile ?? (DRILLYARD_OPERATOR_TOKEN_FILE || join(settingsDefaults.dataDirectory, operatorTokenFile)));
  return createClient({ baseUrl, credential, retries: 2, fetch: reaching(baseUrl) });
}

function tokenIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw unusable(
      `There is no operator's token: ${file} cannot be read (${code ?? message}). Name the file of the data directory with --token-file, or set DRILLYARD_OPERATOR_TOKEN.`,
    );
  }
}

/** What fetch says of a service that does not answer is no help. */
function reaching(baseUrl: string): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      throw new ServiceError('control.UNAVAILABLE', {
        message: `The service at ${baseUrl} does not answer (${code ?? message}). Is it running, and is --url right?`,
      });
    }
  };
}

const unusable = (message: string): ServiceError => new ServiceError('control.INVALID_REQUEST', { message });
