// How a control server is set up. The command line and the environment fill it in (docs/hosting.md has the table).
import type { Quotas, Rate } from '../../contract/hosted/operator.js';
import { limits } from '../../contract/limits.js';
import { localFolders } from '../../contract/local-folders.js';
import { dayMs } from '../../contract/units.js';

export interface ControlSettings {
  dataDirectory: string;
  /** Where clients and agents reach this server: scheme, host and port, no slash at the end. Part of access bundles. */
  publicUrl: string;
  workers: number;
  isolation: Isolation;
  /** Everybody who may publish a build is trusted like the operator: the service starts without boxes for strangers too. */
  trustToolCode: boolean;
  /** A step of tool code that takes longer is ended, with its host; its caller gets world.HANDLER_TIMEOUT. */
  handlerTimeoutMs: number;
  /** Heap of a host, in MB of old space. */
  hostHeapMb: number;
  /**
   * How long the tool code of one project may hold hosts in a minute, in steps of more than limits.heldStepMs, before its worlds that do
   * are refused.
   */
  heldMsPerMinute: number;
  /** How often tool code of one build may run past its time, or end its host, inside limits.quarantineWindowMs. */
  quarantine: { timeoutsMax: number; hostEndsMax: number };
  durability: 'committed' | 'flushed';
  /** Requests a second of one credential, and how many may come at once. */
  rate: Rate;
  /** The same of all credentials of one organization together. */
  organizationRate: Rate;
  /** Of one organization, unless it has its own. */
  quotas: Quotas;
  /** The file of the server key; absent: `server.key` in the data directory. */
  keyFile?: string;
  /** Makes a new generation of the server key at this start. What derives from the present one still works for so long. */
  rotateKey?: { graceMs: number };
  /** Any OIDC issuer; absent: the two identity endpoints answer control.UNAUTHENTICATED. */
  identity?: {
    issuer: string;
    audience: string;
    jwksUrl: string;
    /** The claim that names the organization a token is scoped to, by its organizationId. */
    organizationClaim: string;
    /**
     * The claim that names the role of a member: viewer, builder or manager. Another value: none, and grants give what they give. A token
     * without the claim leaves the role as it is.
     */
    roleClaim?: string;
  };
  /** The command author: run without a shell; absent: `author: command` is refused. `openNetwork`: in its box, where hosts are in boxes. */
  author?: { executable: string; arguments: string[]; timeoutMs: number; openNetwork?: boolean };
  evidenceRetentionMs: number;
  /** How long what has ended, and nothing refers to, stays as a record. */
  retention: Retention;
  /** Ports that the origins of callback receivers may have; those on this machine may have any. */
  receiverPorts: readonly number[];
  /** Callback receivers on this machine, over http too: for tests and for those who host it for themselves. */
  allowLoopbackReceivers: boolean;
}

/** Each in milliseconds from the moment it names. */
export interface Retention {
  /** Conversations, with their turns and proposals, from when they were closed. */
  closedAuthoringMs: number;
  /** From their end. The newest attempt of each revision of a draft stays as long as the draft. */
  buildAttemptMs: number;
  /** From when they were made, and only builds that nothing refers to. */
  buildMs: number;
  /** From their deletion. */
  deletedDraftMs: number;
  /** From when they were archived, and only datasets that no draft has chosen. */
  archivedDatasetMs: number;
  /** From when they were revoked or had expired. */
  endedCredentialMs: number;
}

/** Where the hosts of worlds run, and with them tool code. */
export type Isolation = 'thread' | 'process' | 'box';

/** What is not said. */
export const settingsDefaults = {
  host: '127.0.0.1',
  port: 8787,
  /** Relative to the current folder. */
  dataDirectory: localFolders.hosted,
  trustToolCode: false,
  handlerTimeoutMs: limits.hostedHandlerTimeoutMs,
  hostHeapMb: 512,
  heldMsPerMinute: limits.heldMsPerMinute,
  quarantine: { timeoutsMax: limits.quarantineTimeoutsMax, hostEndsMax: limits.quarantineHostEndsMax },
  durability: 'flushed',
  rate: { perSecond: 1_000, burst: 2_000 },
  organizationRate: { perSecond: 5_000, burst: 10_000 },
  quotas: {
    sessionsLiveMax: 10_000,
    runsActiveMax: 1_000,
    sourceDraftsMax: 10_000,
    datasetsMax: 10_000,
    projectsMax: 1_000,
    credentialsMax: 10_000,
    sessionBytesMax: 256 * 1024 * 1024,
    projectBytesMax: 16 * 1024 * 1024 * 1024,
    organizationBytesMax: 64 * 1024 * 1024 * 1024,
  },
  organizationClaim: 'organization',
  authorTimeoutMs: 600_000,
  evidenceRetentionMs: 90 * dayMs,
  retention: {
    closedAuthoringMs: 90 * dayMs,
    buildAttemptMs: 90 * dayMs,
    buildMs: 90 * dayMs,
    deletedDraftMs: 30 * dayMs,
    archivedDatasetMs: 90 * dayMs,
    endedCredentialMs: 90 * dayMs,
  },
  allowLoopbackReceivers: false,
  receiverPorts: [443, 8443],
  logLevel: 'info',
  stopGraceMs: 10_000,
} as const satisfies Partial<ControlSettings> & { [name: string]: unknown };

/** Of the data directory. */
export const operatorTokenFile = 'operator.token';
