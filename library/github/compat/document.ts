// GitHub's own OpenAPI document, cut to what is served here (scripts/github-openapi.mjs), and the names of all its operations.
import { readFileSync } from 'node:fs';
import type { VendorOperation } from 'drillyard/compat';

interface CutDocument {
  /** The npm package that the document comes from, with the text of its license. */
  'x-source': { package: string; version: string; license: string; file: string; notice: string };
  /** Id, method and path of each operation of the whole document. */
  'x-operations': string[];
  paths: { [path: string]: { [method: string]: { operationId: string } } };
}

export const document = JSON.parse(readFileSync(new URL('./openapi.json', import.meta.url), 'utf8')) as CutDocument;

export const operations: VendorOperation[] = document['x-operations'].map((line) => {
  const [id = '', method = '', path = ''] = line.split(' ');
  return { id, method, path };
});
