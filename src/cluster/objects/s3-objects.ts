// Objects in a bucket of an S3-compatible store, through Amazon's client, which finds credentials where it always does: the environment,
// a profile, the role of the machine. Why this client, and why it is a peer: docs/decisions/020.
import type { S3Client } from '@aws-sdk/client-s3';
import type { S3Address } from '../../contract/cluster-store.js';
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import { isPackageMissing } from '../../contract/missing-package.js';
import { StoreUnavailable } from '../log.js';
import { tuning } from '../tuning.js';
import type { ObjectStore } from './object-store.js';

const packageName = '@aws-sdk/client-s3';

/** control.INVALID_REQUEST where the client is not installed. */
export async function s3Objects({ bucket, prefix, endpoint, region }: S3Address): Promise<ObjectStore> {
  const sdk = await loadClient();
  const client: S3Client = new sdk.S3Client({
    // Stores of others have one region, or take any.
    ...(region === undefined ? endpoint !== undefined && { region: process.env.AWS_REGION || 'us-east-1' } : { region }),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    maxAttempts: tuning.objectTriesMax,
    requestHandler: { connectionTimeout: tuning.connectMs, requestTimeout: tuning.objectAnswerMs, throwOnRequestTimeout: true },
    // Not every store knows the newer checksums; each piece has a digest of ours.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const keyOf = (key: string): string => (prefix === '' ? key : `${prefix}/${key}`);
  const place = { Bucket: bucket };
  return {
    put: async (key, body) => void (await asked(client.send(new sdk.PutObjectCommand({ ...place, Key: keyOf(key), Body: body })))),
    get: async (key) => {
      try {
        const { Body } = await client.send(new sdk.GetObjectCommand({ ...place, Key: keyOf(key) }));
        return Body && Buffer.from(await Body.transformToByteArray());
      } catch (error) {
        if ((error as Error).name === 'NoSuchKey') return undefined;
        throw unreachable(error);
      }
    },
    remove: async (key) => void (await asked(client.send(new sdk.DeleteObjectCommand({ ...place, Key: keyOf(key) })))),
    async *list(folder) {
      // Asked without a slash, which not every store signs as its client does.
      const below = `${keyOf(folder)}/`;
      for (let token: string | undefined; ; ) {
        const ask = { ...place, Prefix: keyOf(folder), ...defined({ ContinuationToken: token }) };
        const page = await asked(client.send(new sdk.ListObjectsV2Command(ask)));
        for (const { Key = '', LastModified } of page.Contents ?? [])
          if (Key.startsWith(below)) yield { key: Key.slice(prefix === '' ? 0 : prefix.length + 1), putAtMs: LastModified?.getTime() ?? 0 };
        token = page.NextContinuationToken;
        if (page.IsTruncated !== true || token === undefined) return;
      }
    },
    close: () => client.destroy(),
  };
}

async function loadClient() {
  try {
    return await import('@aws-sdk/client-s3');
  } catch (cause) {
    if (!isPackageMissing(cause)) throw cause;
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `A store s3://... needs the package ${packageName}, which is not installed: npm install ${packageName}`,
      cause,
    });
  }
}

async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw unreachable(error);
  }
}

/** The client's words alone: its requests hold the key's id. */
function unreachable(error: unknown): StoreUnavailable {
  const { name, message } = error as Error;
  return new StoreUnavailable(`the S3 store of the cluster refused or did not answer: ${name}: ${message}`);
}
