// `drillyard admin`: each subcommand is one request of the typed client with the operator's token, and one way to show its reply.
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pc from 'picocolors';
import type { Client } from '../client/client.js';
import { defined } from '../contract/defined.js';
import { type ErrorCode, ServiceError } from '../contract/errors.js';
import type { Backup, Organization, OwnQuotas, Rate } from '../contract/hosted/operator.js';
import type { AuditEvent, CreateCredentialReply, Credential, Member } from '../contract/hosted/organization.js';
import type { Role } from '../contract/world/authority.js';
import { counted, grouped } from '../text/counted.js';
import { visibleLine } from '../text/visible-text.js';
import { asked, columns, tell } from './admin-asked.js';
import type { AdminConnection } from './admin-connection.js';
import type { Output } from './output.js';
import { tuning } from './tuning.js';

export interface LimitFlags {
  quota: string[];
  rate?: string;
  organizationRate?: string;
}
interface Changes extends LimitFlags {
  name?: string;
}

export const adminActions = {
  createOrganization: (to: AdminConnection, name: string, flags: LimitFlags) =>
    asked(to, async (client, output) => {
      const { organization } = await client.createOrganization({ body: { name, ...limitsOf(flags) } });
      tellOrganization(organization, output);
      if (!output.json) output.say(`\nIts first manager: drillyard admin credential issue ${organization.organizationId}`);
    }),
  listOrganizations: (to: AdminConnection) =>
    asked(to, async (client, output) => {
      for await (const { items } of client.pages('listOrganizations')) {
        for (const one of items)
          tell(output, 'organization', one, [one.organizationId, one.state, dated(one.createdAtMs), visibleLine(one.name)]);
      }
    }),
  showOrganization: (to: AdminConnection, organizationId: string) =>
    asked(to, async (client, output) =>
      tellOrganization((await client.getOrganization({ path: { organizationId } })).organization, output),
    ),
  setOrganization: (to: AdminConnection, organizationId: string, { name, ...flags }: Changes) =>
    asked(to, async (client, output) => {
      const body = { ...defined({ name }), ...limitsOf(flags) };
      tellOrganization((await client.updateOrganization({ path: { organizationId }, body })).organization, output);
    }),
  suspendOrganization: (to: AdminConnection, organizationId: string, reason: string | undefined) =>
    asked(to, async (client, output) => {
      const body = defined({ reason });
      tellOrganization((await client.suspendOrganization({ path: { organizationId }, body })).organization, output);
    }),
  resumeOrganization: (to: AdminConnection, organizationId: string) =>
    asked(to, async (client, output) =>
      tellOrganization((await client.resumeOrganization({ path: { organizationId } })).organization, output),
    ),
  showUsage: (to: AdminConnection, organizationId: string) =>
    asked(to, async (client, output) => {
      const { usage } = await client.getOrganizationUsage({ path: { organizationId } });
      output.line({ event: 'usage', ...usage });
      if (!output.json) for (const { quota, used, max } of usage.quotas) output.say(columns([quota, `${used} of ${max}`]));
    }),
  listAudit: (to: AdminConnection, organizationId: string, refused: boolean) =>
    asked(to, async (client, output) => {
      const outcome = refused ? 'refused' : 'accepted';
      const { items } = await client.listOrganizationAuditEvents({
        path: { organizationId },
        query: { limit: tuning.auditEventsListed, outcome },
      });
      for (const event of items) tell(output, 'audit', event, auditColumns(event));
    }),

  listMembers: (to: AdminConnection, organizationId: string) =>
    asked(to, async (client, output) => {
      for await (const { items } of client.pages('listOrganizationMembers', { path: { organizationId } })) {
        for (const one of items) tellMember(one, output);
      }
    }),
  setRole: (to: AdminConnection, [organizationId, userId, role]: readonly string[]) =>
    asked(to, async (client, output) => {
      const path = { organizationId: organizationId!, userId: userId! };
      tellMember((await client.updateOrganizationMember({ path, body: { role: roleOf(role!) } })).member, output);
    }),
  removeMember: (to: AdminConnection, [organizationId, userId]: readonly string[]) =>
    asked(to, async (client, output) => {
      const path = { organizationId: organizationId!, userId: userId! };
      tellMember((await client.removeOrganizationMember({ path, body: { confirm: path.userId } })).member, output);
    }),
  restoreMember: (to: AdminConnection, [organizationId, userId, role]: readonly string[]) =>
    asked(to, async (client, output) => {
      const path = { organizationId: organizationId!, userId: userId! };
      tellMember((await client.restoreOrganizationMember({ path, body: { role: roleOf(role!) } })).member, output);
    }),

  issueCredential: (to: AdminConnection, organizationId: string, { name, role, ttlMs }: { name: string; role: string; ttlMs?: number }) =>
    asked(to, async (client, output) => {
      const body = { name, role: roleOf(role), ...defined({ ttlMs }) };
      tellSecret(await client.createOrganizationCredential({ path: { organizationId }, body }), output);
    }),
  listCredentials: (to: AdminConnection, organizationId: string) =>
    asked(to, async (client, output) => {
      for await (const { items } of client.pages('listOrganizationCredentials', { path: { organizationId } })) {
        for (const one of items) tellCredential(one, output);
      }
    }),
  revokeCredential: (to: AdminConnection, [organizationId, credentialId]: readonly string[]) =>
    asked(to, async (client, output) => {
      const path = { organizationId: organizationId!, credentialId: credentialId! };
      tellCredential((await client.revokeOrganizationCredential({ path, body: { confirm: path.credentialId } })).credential, output);
    }),

  backup: (to: AdminConnection, folder: string) =>
    asked(to, async (client, output) => {
      let { backup } = await client.startBackup({ body: { to: resolve(folder) } });
      for (let looks = 1; backup.state === 'running'; backup = await latestBackup(client), looks++) {
        if (looks > 1) tell(output, 'progress', backup, ['running', backupText(backup)]);
        await pause(Math.min(looks * tuning.backupLookMs, tuning.backupLookMsMax));
      }
      tell(output, 'backup', backup, [backup.state, backup.to, backupText(backup)]);
      if (backup.error !== undefined) throw new ServiceError(backup.error.code as ErrorCode, { message: backup.error.message });
    }),

  showKey: (to: AdminConnection) => asked(to, async (client, output) => tellKey(await client.getServerKey(), output)),
  rotateKey: (to: AdminConnection, graceMs: number) =>
    asked(to, async (client, output) => tellKey(await client.rotateServerKey({ body: { graceMs } }), output)),
};

const backupText = ({ projects, files, bytes }: Backup): string =>
  `${counted(projects, 'project')}, ${counted(files, 'file')}, ${grouped(bytes)} bytes`;
async function latestBackup(client: Client): Promise<Backup> {
  const { backup } = await client.getBackup();
  if (backup !== undefined) return backup;
  throw new ServiceError('control.UNAVAILABLE', { message: 'The service has started again meanwhile, and the backup was not finished.' });
}

const dated = (atMs: number): string => new Date(atMs).toISOString().slice(0, 16).replace('T', ' ');

function tellOrganization(one: Organization, output: Output): void {
  output.line({ event: 'organization', ...one });
  if (output.json) return;
  const { rate, organizationRate, own } = one;
  const mark = (name: string): string => (own.includes(name) ? ' (its own)' : '');
  const rows: [string, string][] = [
    ['organization', `${pc.bold(one.organizationId)} ${visibleLine(one.name)}`],
    ['state', one.state + (one.suspendedReason === undefined ? '' : `: ${visibleLine(one.suspendedReason)}`)],
    ...Object.entries(one.quotas).map(([name, max]): [string, string] => [name, `${max}${mark(name)}`]),
    ['rate', `${rate.perSecond}/${rate.burst}${mark('rate')}`],
    ['organizationRate', `${organizationRate.perSecond}/${organizationRate.burst}${mark('organizationRate')}`],
  ];
  for (const row of rows) output.say(columns(row));
}

function tellMember(one: Member, output: Output): void {
  tell(output, 'member', one, [one.userId, one.role ?? 'none', one.state, visibleLine(one.name ?? one.subject)]);
}

function tellCredential(one: Credential, output: Output): void {
  const state = one.revokedAtMs === undefined ? 'valid' : 'revoked';
  tell(output, 'credential', one, [one.credentialId, one.role ?? 'none', state, visibleLine(one.name)]);
}

function tellSecret({ credential, secret }: CreateCredentialReply, output: Output): void {
  if (secret === undefined) {
    const message = `The credential ${credential.credentialId} was made, but its secret was lost on the way. Revoke it, and issue another.`;
    throw new ServiceError('control.UNAVAILABLE', { message });
  }
  output.line({ event: 'credential', ...credential, secret });
  if (output.json) return;
  output.say(columns(['credential', `${credential.credentialId} ${credential.role ?? 'none'}`]));
  output.say(columns(['secret', `${pc.bold(secret)}  keep it, it is not shown again`]));
}

function tellKey(
  { generations }: { generations: { generation: number; createdAtMs: number; acceptedUntilMs?: number }[] },
  output: Output,
): void {
  output.line({ event: 'key', generations });
  if (output.json) return;
  for (const { generation, createdAtMs, acceptedUntilMs } of generations) {
    const made = createdAtMs === 0 ? 'made outside' : `made ${dated(createdAtMs)}`;
    output.say(
      columns([`generation ${generation}`, made, acceptedUntilMs === undefined ? 'present' : `accepted until ${dated(acceptedUntilMs)}`]),
    );
  }
}

function auditColumns({ atMs, action, credentialId, clientAddress, resourceType, resourceId, refusal }: AuditEvent): string[] {
  if (refusal?.leftOut !== undefined) return [dated(atMs), `${refusal.leftOut} more refusals left out`];
  return [
    dated(atMs),
    action,
    credentialId,
    clientAddress ?? '-',
    `${resourceType} ${resourceId}${refusal === undefined ? '' : ` ${refusal.code} ${refusal.required ?? ''}`}`,
  ];
}

const roleOf = (text: string): Role | null => (text === 'none' ? null : (text as Role));

function limitsOf({ quota, rate, organizationRate }: LimitFlags): {
  quotas?: OwnQuotas;
  rate?: Rate | null;
  organizationRate?: Rate | null;
} {
  const quotas = Object.fromEntries(quota.map(quotaOf)) as OwnQuotas;
  return {
    ...(quota.length === 0 ? {} : { quotas }),
    ...(rate === undefined ? {} : { rate: rateOf('--rate', rate) }),
    ...(organizationRate === undefined ? {} : { organizationRate: rateOf('--organization-rate', organizationRate) }),
  };
}

function quotaOf(text: string): [string, number | null] {
  const [, name, max] = /^(\w+)=(\d{1,16}|default)$/.exec(text) ?? [];
  if (name === undefined || max === undefined)
    throw unusable(`--quota is ${JSON.stringify(text)}; it must be a name and a number, such as sessionsLiveMax=100.`);
  return [name, max === 'default' ? null : Number(max)];
}

function rateOf(flag: string, text: string): Rate | null {
  if (text === 'default') return null;
  const [, perSecond, burst] = /^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? [];
  if (perSecond === undefined)
    throw unusable(`${flag} is ${JSON.stringify(text)}; it must be requests a second and at once, such as 100/200.`);
  return { perSecond: Number(perSecond), burst: Number(burst) };
}

const unusable = (message: string): ServiceError => new ServiceError('control.INVALID_REQUEST', { message });
