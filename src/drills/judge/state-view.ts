// A run as it is at one checkpoint. Rows are the world's: each row and each namespace is read once, however many assertions ask.
import { walkPages } from '../../async/pages.js';
import { defined } from '../../contract/defined.js';
import type { JsonObject } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { InteractionResult } from '../../contract/run/run.js';
import type { StatePage } from '../../contract/world/world-protocol.js';
import type { WorldRef } from '../../worlds/api.js';
import type { RunView, StateView, WorldSpace } from './finding.js';

type Row = { rowId: string; value: JsonObject };
type RowCallback = (row: Row) => void;

export function runViewOf(world: WorldRef, interactions: readonly InteractionResult[]): RunView {
  return { ...stateViewOf(world), interactions };
}

function stateViewOf(world: WorldRef): StateView {
  const rows = new Map<string, Promise<JsonObject | null>>();
  const scans = new Map<string, { callbacks: RowCallback[]; done: Promise<void> }>();
  return {
    row: (space, rowId) => {
      const key = JSON.stringify([space.packageId, space.instanceId, space.namespace, rowId]);
      let row = rows.get(key);
      if (row === undefined) {
        row = world.query({ kind: 'row', ...space, rowId }).then(({ value }) => value);
        rows.set(key, row);
      }
      return row;
    },
    eachRow: (space, callback) => {
      const key = JSON.stringify([space.packageId, space.instanceId, space.namespace]);
      const scan = scans.get(key);
      if (scan !== undefined) {
        scan.callbacks.push(callback);
        return scan.done;
      }
      const callbacks = [callback];
      // One turn later, so that all requests at this checkpoint share the scan; later ones get a new one.
      const done = Promise.resolve().then(() => {
        scans.delete(key);
        return scanSpace(world, space, callbacks);
      });
      scans.set(key, { callbacks, done });
      return done;
    },
  };
}

async function scanSpace(world: WorldRef, space: WorldSpace, callbacks: readonly RowCallback[]): Promise<void> {
  const next = ({ nextAfterRowId }: StatePage) => nextAfterRowId;
  const pages = walkPages({ next }, (afterRowId?: string) =>
    world.query({ kind: 'state', ...space, limit: limits.statePageRowsMax, ...defined({ afterRowId }) }),
  );
  for await (const { rows } of pages) for (const row of rows) for (const callback of callbacks) callback(row);
}
