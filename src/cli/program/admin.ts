// `drillyard admin`: what the operator of a service does with its organizations, over the operator's token.
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { defined } from '../../contract/defined.js';
import { localFolders } from '../../contract/local-folders.js';
import type { LimitFlags } from '../admin-command.js';
import type { AdminConnection } from '../admin-connection.js';
import type { ClusterFlags } from '../cluster-address.js';
import type { VerifyFlags } from '../verify-command.js';
import { addCluster } from './admin-cluster.js';
import { connectionOptions } from './admin-options.js';
import { addRestore, clusterOptions } from './admin-restore.js';
import { collect, type Finish, jsonOption } from './options.js';

const roles = ['viewer', 'builder', 'manager', 'none'];
const organization = () => new Argument('<organization>', 'its id, org_...');
const member = () => new Argument('<member>', 'the id of the member, usr_...');
const role = () => new Argument('<role>', 'in every project of the organization').choices(roles);

export function addAdmin(program: Command, finish: Finish): void {
  const admin = program
    .command('admin')
    .description("operate a service: organizations, members, credentials, the server key, machines; needs the operator's token");
  addOrganization(admin, finish);
  addMember(admin, finish);
  addCredential(admin, finish);
  addKey(admin, finish);
  addBackup(admin, finish);
  addRestore(admin, finish);
  addCluster(admin, finish);
  addVerify(admin, finish);
}

function addBackup(admin: Command, finish: Finish): void {
  clusterOptions(
    command(admin, finish, ['backup', 'copy the data of a service, or of a cluster, while it works'], async (actions, _, flags) => {
      const isService = [flags.url, flags.token, flags.tokenFile].some((flag) => flag !== undefined);
      const { namesCluster } = await import('../cluster-address.js');
      if (isService || !namesCluster(flags as ClusterFlags)) return await actions.backup(flags, flags.to as string);
      const { clusterBackupCommand } = await import('../cluster-backup-command.js');
      return await clusterBackupCommand(flags as ClusterFlags, flags.to as string, flags.json);
    }).requiredOption(
      '--to <folder>',
      'where to, on the disk of the service or, of a cluster, here: one that is not there, in one that is',
    ),
  );
}

/** Without a service: it needs the data directory, or a backup. */
function addVerify(admin: Command, finish: Finish): void {
  admin
    .command('verify')
    .description('look through the data directory of a service that is stopped, or a backup: every record, world, blob and bundle')
    .option('--data-dir <folder>', `default ${localFolders.hosted} (DRILLYARD_DATA_DIR)`)
    .option('--key-file <file>', 'the server key, if it lies elsewhere (DRILLYARD_KEY_FILE)')
    .addOption(jsonOption())
    .action(async (flags: VerifyFlags) => {
      const { verifyCommand } = await import('../verify-command.js');
      finish(await verifyCommand(flags));
    });
}

const load = () => import('../admin-command.js');
type Actions = Awaited<ReturnType<typeof load>>['adminActions'];
type Flags = { [name: string]: unknown } & AdminConnection & LimitFlags;

/** A subcommand with what each of them takes; `run` gets its arguments and its options. */
function command(
  parent: Command,
  finish: Finish,
  [name, description]: [string, string],
  run: (actions: Actions, values: string[], flags: Flags) => Promise<Parameters<Finish>[0]>,
): Command {
  return connectionOptions(parent.command(name).description(description)).action(async (...given: unknown[]) => {
    const { adminActions } = await load();
    const values = given.filter((value) => typeof value === 'string');
    const options = given.at(-2) as Flags;
    finish(await run(adminActions, values, options));
  });
}

function addOrganization(admin: Command, finish: Finish): void {
  const group = admin.command('organization').description('the organizations of the service');
  const add = command.bind(undefined, group, finish);
  limitOptions(
    add(['create', 'create an organization'], (actions, [name], flags) => actions.createOrganization(flags, name!, flags)),
  ).argument('<name>', 'such as acme');
  add(['list', 'every organization, with its state'], (actions, _, flags) => actions.listOrganizations(flags));
  add(['show', 'one organization, with the limits in force'], (actions, [id], flags) => actions.showOrganization(flags, id!)).addArgument(
    organization(),
  );
  limitOptions(
    add(['set', 'rename an organization, or change its limits'], (actions, [id], flags) =>
      actions.setOrganization(flags, id!, { ...flags, ...defined({ name: flags.name as string | undefined }) }),
    ),
  )
    .addArgument(organization())
    .option('--name <name>', 'its new name');
  add(['suspend', 'refuse its credentials and worlds; its data stays'], (actions, [id], flags) =>
    actions.suspendOrganization(flags, id!, flags.reason as string | undefined),
  )
    .addArgument(organization())
    .option('--reason <text>', 'for other operators; the organization does not see it');
  add(['resume', 'end its suspension'], (actions, [id], flags) => actions.resumeOrganization(flags, id!)).addArgument(organization());
  add(['usage', 'what it uses of its quotas'], (actions, [id], flags) => actions.showUsage(flags, id!)).addArgument(organization());
  add(['audit', 'its newest accepted changes, or refusals'], (actions, [id], flags) =>
    actions.listAudit(flags, id!, flags.refused === true),
  )
    .addArgument(organization())
    .option('--refused', 'refusals of authority instead', false);
}

function addMember(admin: Command, finish: Finish): void {
  const group = admin.command('member').description('members of an organization');
  const add = command.bind(undefined, group, finish);
  add(['list', 'members of an organization'], (actions, [id], flags) => actions.listMembers(flags, id!)).addArgument(organization());
  add(['set-role', "change a member's role, until the identity provider says another"], (actions, values, flags) =>
    actions.setRole(flags, values),
  )
    .addArgument(organization())
    .addArgument(member())
    .addArgument(role());
  add(
    ['remove', 'remove a member: credentials of the member, and those that the member made, open nothing any more'],
    (actions, values, flags) => actions.removeMember(flags, values),
  )
    .addArgument(organization())
    .addArgument(member());
  add(['restore', 'restore a removed member, without the earlier credentials'], (actions, values, flags) =>
    actions.restoreMember(flags, values),
  )
    .addArgument(organization())
    .addArgument(member())
    .addArgument(role());
}

function addCredential(admin: Command, finish: Finish): void {
  const group = admin.command('credential').description('control credentials of an organization');
  const add = command.bind(undefined, group, finish);
  add(['issue', 'issue a credential, such as the first of a manager; its secret is printed once'], (actions, [id], flags) =>
    actions.issueCredential(flags, id!, {
      name: flags.name as string,
      role: flags.role as string,
      ...defined({ ttlMs: flags.ttlMs as number | undefined }),
    }),
  )
    .addArgument(organization())
    .option('--name <name>', 'what it is for', 'manager')
    .addOption(new Option('--role <role>', 'in every project of the organization').choices(roles).default('manager'))
    .option('--ttl-ms <n>', 'how long it opens; default: until it is revoked', positive);
  add(['list', 'credentials of an organization'], (actions, [id], flags) => actions.listCredentials(flags, id!)).addArgument(
    organization(),
  );
  add(['revoke', 'revoke a credential'], (actions, values, flags) => actions.revokeCredential(flags, values))
    .addArgument(organization())
    .argument('<credential>', 'its id, cred_...');
}

function addKey(admin: Command, finish: Finish): void {
  const group = admin.command('key').description('the server key');
  const add = command.bind(undefined, group, finish);
  add(['show', 'its generations; the key itself is never shown'], (actions, _, flags) => actions.showKey(flags));
  add(['rotate', 'make a new generation; what derives from the present one works for as long as the grace says'], (actions, _, flags) =>
    actions.rotateKey(flags, (flags.graceMs as number | undefined) ?? 0),
  ).option('--grace-ms <n>', 'default 0: it stops working at once', notNegative);
}

function limitOptions(to: Command): Command {
  return to
    .addOption(
      new Option('--quota <name=n>', 'such as sessionsLiveMax=100, or =default (repeatable)').argParser(collect).default([], 'none'),
    )
    .option('--rate <n/burst>', 'requests a second of one credential, and at once: 100/200, or default')
    .option('--organization-rate <n/burst>', 'the same of all its credentials together');
}

function notNegative(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be 0 or a positive integer.');
  return Number(text);
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a positive integer.');
  return Number(text);
}
