// Calls counted for the rate-limit headers of wire routes: by limit, instance and actor, in windows of virtual time. Of the counters, so
// that what was counted stays counted, and a fork counts on from where its parent was.
import type { ToolHttpRoute, ToolManifest } from '../../contract/world/tool-manifest.js';
import type { CounterEntries, Counters } from './counters.js';

/** As encode sees it. */
export interface RateWindow {
  id: string;
  limit: number;
  /** In this window so far, with the present one. */
  calls: number;
  windowStartUs: number;
  windowEndUs: number;
}
interface Counted {
  packageId: string;
  instanceId: string;
  actorId: string;
  actorInstanceId?: string;
}

/** Counts a call; undefined where the route is counted by no limit. */
export function countCall(
  counters: Counters,
  { manifest, route, nowUs }: { manifest: ToolManifest; route: ToolHttpRoute; nowUs: number },
  { packageId, instanceId, actorId, actorInstanceId = '' }: Counted,
): RateWindow | undefined {
  const declared = manifest.wire?.rateLimits?.find(({ id }) => id === route.rateLimit);
  if (declared === undefined) return undefined;
  const { id, limit, windowUs } = declared;
  const key = `${keyOf(packageId)}${instanceId} ${id} ${actorId}:${actorInstanceId}`;
  const [begunUs, counted] = (counters.get(key) as [number, number] | undefined) ?? [nowUs, 0];
  const isOver = nowUs - begunUs >= windowUs;
  const [windowStartUs, calls] = isOver ? [nowUs, 1] : [begunUs, counted + 1];
  counters.set(key, [windowStartUs, calls]);
  return { id, limit, calls, windowStartUs, windowEndUs: Math.min(windowStartUs + windowUs, Number.MAX_SAFE_INTEGER) };
}

/** The package's counts as they were in earlier counters. */
export function restoreWindows(counters: Counters, packageId: string, origin: CounterEntries): void {
  counters.restoreWhere((key) => key.startsWith(keyOf(packageId)), origin);
}

const keyOf = (packageId: string): string => `rate ${packageId} `;
