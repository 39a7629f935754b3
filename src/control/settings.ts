// How a control server is set up. The command line and the environment fill it in (docs/hosting.md has the table).
import { limits } from '../contract/limits.js';

export interface ControlSettings {
  dataDirectory: string;
  /** Where clients and agents reach this server: scheme, host and port, no slash at the end. Told in access bundles. */
  publicUrl: string;
  workers: number;
  isolation: 'thread' | 'process';
  /** A step of tool code that takes longer is ended, with its host; its caller gets world.HANDLER_TIMEOUT. */
  handlerTimeoutMs: number;
  durability: 'committed' | 'flushed';
  /** Requests a second of one credential, and how many may come at once. */
  rate: { perSecond: number; burst: number };
  quotas: {
    sessionsLiveMax: number;
    runsActiveMax: number;
    sourceDraftsMax: number;
    datasetsMax: number;
    projectsMax: number;
    credentialsMax: number;
  };
  /** Any OIDC issuer; absent: the two identity endpoints answer control.UNAUTHENTICATED. */
  identity?: {
    issuer: string;
    audience: string;
    jwksUrl: string;
    /** The claim that names the organization a token is scoped to, by its organizationId. */
    organizationClaim: string;
    /** The claim that names the role a new member gets: viewer, builder or manager. Absent, or another value: none, and grants give what they give. */
    roleClaim?: string;
  };
  /** The command author: run without a shell; absent: `author: command` is refused. */
  author?: { executable: string; arguments: string[]; timeoutMs: number };
  evidenceRetentionMs: number;
}

/** What is not said. */
export const settingsDefaults = {
  host: '127.0.0.1',
  port: 8787,
  /** Relative to the current folder. */
  dataDirectory: '.service/hosted',
  isolation: 'thread',
  handlerTimeoutMs: limits.handlerTimeoutMs,
  durability: 'flushed',
  rate: { perSecond: 1_000, burst: 2_000 },
  quotas: {
    sessionsLiveMax: 10_000,
    runsActiveMax: 1_000,
    sourceDraftsMax: 10_000,
    datasetsMax: 10_000,
    projectsMax: 1_000,
    credentialsMax: 10_000,
  },
  organizationClaim: 'organization',
  authorTimeoutMs: 600_000,
  evidenceRetentionMs: 90 * 24 * 3_600_000,
  logLevel: 'info',
  stopGraceMs: 10_000,
} as const satisfies Partial<ControlSettings> & { [name: string]: unknown };

/** One worker for each processor, but no more than this: each is a thread or process with a heap and an environment of its own. */
export const workersDefaultMax = 8;
