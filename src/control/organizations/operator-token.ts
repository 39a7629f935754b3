// The operator's token: made at the first start, in a file of the data directory that its owner alone may read. The catalog keeps its hash,
// so the file may be taken away; a file that is there at a start says which token holds from then on.
//   OPERATOR-TOKEN-1. Where several machines share the catalog, a token that was replaced on one of them does not return with the file of
//     another: a file is taken up once.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import type { Catalog } from '../catalog/catalog.js';
import { tokenHash } from '../catalog/keyring.js';
import { type PrivateFile, readPrivateFile, writePrivateFile } from '../catalog/private-file.js';
import { operatorTokenFile } from '../catalog/settings.js';
import { defineTable, type View } from '../catalog/tables.js';

interface OperatorRecord {
  name: 'operator';
  hash: string;
  /** Of a catalog with a log: those before it, the latest first; at most limits.operatorTokensKept. */
  earlier?: string[];
}
export const operatorTable = defineTable<OperatorRecord>({ name: 'operator', idOf: ({ name }) => name, indexes: {} });
const tokenShape = /^dyo_[\w-]{43}$/;

function operatorHash(view: View): string | undefined {
  return view.get(operatorTable, 'operator')?.hash;
}

/** Compared in constant time: digests of digests are as long as each other, whatever is compared. */
export function isOperatorToken(view: View, token: string): boolean {
  const known = operatorHash(view);
  const [left, right] = [known ?? '', tokenHash(token)].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(left, right) && known !== undefined;
}

/** At each start. control.INVALID_REQUEST for a file that cannot be used. */
export async function readOperatorToken(catalog: Catalog, dataDirectory: string): Promise<void> {
  const place: PrivateFile = { file: join(dataDirectory, operatorTokenFile), what: 'operator token' };
  const known = operatorHash(catalog.view);
  let token = readPrivateFile(place);
  if (token === undefined && known !== undefined) return;
  if (token === undefined) {
    token = newOperatorToken();
    writePrivateFile(place, `${token}\n`);
  }
  if (!tokenShape.test(token)) {
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `The operator token ${place.file} is damaged. Remove it: the token that held until now continues; or put one of the form dyo_ and 43 characters there.`,
    });
  }
  const hash = tokenHash(token);
  if (hash === known) return;
  if (known === undefined || catalog.position === undefined) {
    await catalog.change((tx) => tx.put(operatorTable, { name: 'operator', hash }));
    return;
  }
  const { earlier: before = [] } = catalog.view.get(operatorTable, 'operator') ?? {};
  if (before.includes(hash)) return;
  const earlier = [known, ...before].slice(0, limits.operatorTokensKept);
  await catalog.change((tx) => tx.put(operatorTable, { name: 'operator', hash, earlier }));
}

const newOperatorToken = (): string => `dyo_${randomBytes(32).toString('base64url')}`;
