// The tool library as projects see it: what ships with this server.
import type { LibraryPackage } from '../../compiler/library.js';
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { ToolLibraryEntry } from '../../contract/hosted/source.js';
import { listPage } from '../catalog/cursors.js';
import type { EndpointSet } from '../catalog/endpoint.js';
import { defineTable, type ListRequest, type Page, type Table, type View } from '../catalog/tables.js';
import type { ControlServices } from '../core/services.js';

export function libraryEndpoints(services: ControlServices): EndpointSet<'listToolLibrary' | 'getToolLibraryEntry'> {
  const { compiler } = services;
  return {
    listToolLibrary: {
      kind: 'read',
      run: async (_, { path, query }) => {
        const view = new LibraryView((await compiler.library()).map(entryOf));
        return listPage(services, view, { table: libraryTable, index: 'byId', prefix: [path.projectId], query });
      },
    },
    getToolLibraryEntry: {
      kind: 'read',
      run: async (_, { path }) => {
        const found = (await compiler.library()).find(({ libraryEntryId }) => libraryEntryId === path.libraryEntryId);
        if (found === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'There is no such tool in the library.' });
        return { entry: entryOf(found), manifest: found.manifest };
      },
    },
  };
}

function entryOf({
  libraryEntryId,
  lifecycle,
  description,
  packageArchiveDigest,
  manifest,
  manifestHash,
  starter,
}: LibraryPackage): ToolLibraryEntry {
  return {
    schemaVersion: 1,
    libraryEntryId,
    packageId: manifest.id,
    version: manifest.version,
    lifecycle,
    packageArchiveDigest,
    manifestHash,
    hasStarter: starter !== undefined,
    ...defined({ description }),
    operations: manifest.operations.map(({ id, description: what }) => ({
      operationId: id,
      ...defined({ description: what }),
    })),
  };
}

/** Never in the catalog: the name under which cursors know the list. */
const libraryTable = defineTable<ToolLibraryEntry>({ name: 'tool-library', idOf: ({ libraryEntryId }) => libraryEntryId, indexes: {} });

/** The library, ordered by id, as a list that can be paged like those of the catalog. */
class LibraryView implements View {
  readonly #entries: ToolLibraryEntry[];

  constructor(entries: ToolLibraryEntry[]) {
    this.#entries = entries;
  }

  get<Record>(_: unknown, id: string): Record | undefined {
    return this.#entries.find(({ libraryEntryId }) => libraryEntryId === id) as Record | undefined;
  }

  list<Record>(_: unknown, { limit, after = '' }: ListRequest): Page<Record> {
    const rest = this.#entries.filter(({ libraryEntryId }) => libraryEntryId > after);
    const page = rest.slice(0, limit);
    const last = page.at(-1)?.libraryEntryId;
    return { records: page as Record[], ...(rest.length > limit && last !== undefined ? { next: last } : {}) };
  }

  count(_: unknown, { limit }: { limit: number }): number {
    return Math.min(this.#entries.length, limit);
  }

  scan<Record>(table: Table<Record>, page: { limit: number; after?: string }): Page<Record> {
    return this.list(table, { index: 'all', prefix: [], ...page });
  }

  lastId(): string | undefined {
    return this.#entries.at(-1)?.libraryEntryId;
  }
}
