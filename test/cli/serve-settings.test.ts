import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readServeSettings } from '../../src/cli/read-serve-settings.js';
import { configFile, environmentName, fileName, serveSettings } from '../../src/cli/serve-settings.js';
import { settingsText, shownSettings } from '../../src/cli/shown-settings.js';
import { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import { type ControlServerOptions, requireServerOptions } from '../../src/control-server-options.js';

type Texts = { [name: string]: string };
const read = (flags: Texts, environment: Texts = {}) => readServeSettings({ flags, environment });
const scratch = mkdtempSync(join(tmpdir(), 'drillyard-settings-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
let files = 0;
/** A configuration file in a folder of its own. */
function fileOf(text: string, name = 'serve.yaml'): string {
  const folder = join(scratch, String(++files));
  mkdirSync(folder);
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
const yaml = (text: string): string => fileOf(`schemaVersion: 1\n${text}`);
function optionsOf(flags: { [flag: string]: string }, environment?: { [name: string]: string }) {
  const settings = read(flags, environment);
  assert.ok('options' in settings, JSON.stringify(settings));
  return settings.options;
}
function problemsOf(flags: { [flag: string]: string }, environment?: { [name: string]: string }): string[] {
  const settings = read(flags, environment);
  assert.ok('problems' in settings, JSON.stringify(settings));
  return settings.problems;
}

const page = readFileSync(new URL('../../../docs/hosting.md', import.meta.url), 'utf8');

test('the fixed limits on the page are those of the code', () => {
  const mib = (bytes: number): string => `${bytes / 1024 / 1024} MiB`;
  const s = (ms: number): string => `${ms / 1000} s`;
  const days = (ms: number): string => `${ms / 86_400_000} days`;
  const rows = [
    `| body | ${mib(limits.bodyBytesMax)}; the result of an interaction ${mib(limits.interactionResultBytesMax)}; an attachment or the rows of a dataset ${mib(limits.attachmentBytesMax)} |`,
    `| JSON depth | ${limits.jsonDepthMax}; of the result of an interaction, its output |`,
    `| headers | ${limits.headerBytesMax / 1024} KiB, and ${s(limits.headersTimeoutMs)} to arrive; a body ${s(limits.bodyTimeoutMs)} |`,
    `| operations that wait in one session | ${limits.lanePendingMax}, then \`503 control.WORLD_BUSY\` |`,
    `| messages that wait in one world | ${limits.mailboxMessagesMax.toLocaleString('en')}, then \`503 control.WORLD_BUSY\` |`,
    `| accesses of one session at once | ${limits.accessesMax.toLocaleString('en')} |`,
    `| snapshots of one session | ${limits.sessionSnapshotsMax} that are not deleted |`,
    `| an ended session | stays as a record for ${days(limits.endedSessionKeptMs)}, its snapshots with it |`,
    `| an ended operation | ${days(limits.endedOperationKeptMs)} |`,
    `| an ended run, its result and its activity | ${days(limits.endedRunKeptMs)}, and as long as its evidence |`,
    `| audit events | ${days(limits.auditEventKeptMs)} |`,
    `| refusals in the audit trail | ${limits.auditRefusalsOfCredentialMax} of a credential and ${limits.auditRefusalsOfOrganizationMax} of an organization a minute; the others are counted |`,
    `| earlier server keys accepted at once | ${limits.keyGenerationsMax} |`,
    `The key set has at most ${mib(limits.jwksBytesMax)}.`,
    `a subject of 1 to ${limits.identitySubjectCharsMax} characters`,
    `sealed attachments) | ${limits.blobUnreferencedKeptMs / 3_600_000} hours |`,
    `| answers kept for idempotency keys | ${limits.idempotencyKeptMs / 3_600_000} hours |`,
    `each time | ${limits.operationStartsMax}, then it fails with \`control.ATTEMPTS_EXHAUSTED\` |`,
    `| what tool code makes in one turn | ${mib(limits.resultBytesMax)} a result, payload or row, ${mib(limits.turnWriteBytesMax)} in all,`,
    `| requests of one address (of IPv6: of its network of 64 bits) without a valid credential | ${limits.strangerPerSecond} a second, ${limits.strangerBurst.toLocaleString('en')} at once,`,
    `| bodies that come at once | ${mib(limits.organizationBodyBytesMax)} of an organization and ${mib(limits.bodyBytesUnderWayMax)} in all, as they declare;`,
    `| replies that may be large and have not left | ${mib(limits.organizationReplyBytesMax)} of an organization and ${mib(limits.replyBytesUnderWayMax)} in all;`,
    `waits up to ${s(limits.replyWaitMsMax)}, then`,
    `| a page of evidence, rows or pending events | ${mib(limits.pageBytesMax)}, and at least one of them |`,
  ];
  const words = page.replace(/\s+/g, ' ');
  for (const row of rows) assert.ok(words.includes(row), row);
});

test('docs/hosting.md has every setting as it is, in order', () => {
  const documented = page.split('\n').filter((line) => /^\| `--[a-z-]+ .*DRILLYARD_/.test(line));
  const rows = [configFile, ...serveSettings].map((setting) => {
    const { flag, placeholder, text } = setting;
    return `| \`--${flag} ${placeholder}\` | \`${environmentName(setting)}\` | ${setting.default} | ${text} |`;
  });
  assert.deepEqual(documented, rows);
});

test('a fixed default is a value that its setting takes', () => {
  const fixed = serveSettings.filter(({ isFixed }) => isFixed);
  assert.ok(fixed.length > 30);
  for (const { kind, default: text } of fixed) kind.parse(text);
});

test('a flag wins over the environment, and an empty variable is none', () => {
  assert.equal(optionsOf({ port: '1' }, { DRILLYARD_PORT: '2' }).port, 1);
  assert.equal(optionsOf({}, { DRILLYARD_PORT: '2' }).port, 2);
  assert.equal(optionsOf({}, { DRILLYARD_PORT: '' }).port, undefined);
});

test('each kind of value is read, or reported what it must be', () => {
  assert.equal(optionsOf({ 'public-url': 'https://Drills.example.com/' }).publicUrl, 'https://drills.example.com');
  assert.deepEqual(optionsOf({ 'sessions-live-max': '7' }).quotas, { sessionsLiveMax: 7 });
  assert.equal(optionsOf({ server: 'node' }).engine, 'node:http');
  assert.equal(optionsOf({ 'evidence-retention-days': '2' }).evidenceRetentionMs, 172_800_000);
  for (const bad of ['', ' ', '1.5', '-1', '1e3', '0x10', '65536', '99999999999999999999']) {
    assert.equal(problemsOf({ port: bad }).length, 1, `--port ${JSON.stringify(bad)}`);
  }
  for (const bad of ['ftp://a', 'http://a/b', 'http://a?b', 'http://u@a', 'a:1', 'http://']) {
    assert.equal(problemsOf({ 'public-url': bad }).length, 1, bad);
  }
  assert.deepEqual(problemsOf({}, { DRILLYARD_ISOLATE: 'jail' }), ['DRILLYARD_ISOLATE is "jail"; it must be thread, process or box.']);
});

test('a flag wins over a variable, that over the file, that over the default', () => {
  const file = yaml('port: 1\nworkers: 3\nlogLevel: warn\n');
  const { port, workers, log, host } = optionsOf({ 'config-file': file, port: '3' }, { DRILLYARD_PORT: '2', DRILLYARD_WORKERS: '2' });
  assert.deepEqual([port, workers, log, host], [3, 2, { level: 'warn' }, undefined]);
  assert.equal(optionsOf({}, { DRILLYARD_CONFIG_FILE: file }).port, 1);
  assert.equal(optionsOf({ 'config-file': yaml('') }, { DRILLYARD_CONFIG_FILE: file }).port, undefined);
});

test('a file takes every setting by its name, in YAML and in JSON, as its JSON Schema does, and its paths are relative to it', () => {
  const samples: { [name: string]: unknown } = {
    host: '::1',
    publicUrl: 'https://drills.example.com',
    worldUrl: 'https://worlds.example.com',
    trustedProxy: ['10.0.0.7', '2001:db8::/32'],
    server: 'node',
    dataDir: 'data',
    keyFile: '/etc/drillyard/server.key',
    workers: 2,
    isolate: 'box',
    oidcIssuer: 'https://id.example.com',
    oidcAudience: 'drillyard',
    oidcJwksUrl: 'https://id.example.com/keys',
    oidcRoleClaim: 'role',
    authorCommand: '/usr/bin/author',
    authorArguments: ['--model', 'small'],
    receiverPorts: [443],
    cluster: 'postgres://drillyard@db/drillyard',
    node: 'n1',
    nodeAddress: 'http://10.0.0.11:8787',
    clusterStore: 's3://drills/cluster?endpoint=https://s3.internal:9000',
  };
  const whole = Object.fromEntries(
    serveSettings.map((setting) => {
      const name = fileName(setting);
      return [name, samples[name] ?? setting.kind.parse(setting.default)];
    }),
  );
  const check = new Ajv2020({ strict: false }).compile(
    JSON.parse(readFileSync(new URL('../../../docs/schemas/serve.schema.json', import.meta.url), 'utf8')) as object,
  );
  const document = { $schema: 'x', schemaVersion: 1, ...whole };
  assert.ok(check(document), JSON.stringify(check.errors));
  const file = fileOf(JSON.stringify(document, null, 2), 'serve.json');
  const options = optionsOf({ 'config-file': file });
  const { dataDirectory, keyFile, trustedProxies, receiverPorts, author, rate, trustToolCode } = options;
  assert.deepEqual([dataDirectory, keyFile], [join(file, '..', 'data'), '/etc/drillyard/server.key']);
  assert.deepEqual([trustedProxies, receiverPorts, trustToolCode], [['10.0.0.7', '2001:db8::/32'], [443], false]);
  assert.deepEqual(author?.arguments, ['--model', 'small']);
  assert.deepEqual(rate, { perSecond: 1000, burst: 2000 });
  const lines = Object.entries(whole).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  assert.deepEqual({ ...optionsOf({ 'config-file': yaml(lines.join('')) }), dataDirectory }, options);
});

test('a file that is not right is reported with its places: unknown names with what may be meant, values of another type, its syntax', () => {
  const file = yaml('publicURL: https://a.example\ncredential: dyc_x\nport: "1"\nworkers: 0\nauthorArguments: text\ndurability: [x]\n');
  assert.deepEqual(problemsOf({ 'config-file': file }), [
    `${file}:2: There is no setting "publicURL". Did you mean "publicUrl"?`,
    `${file}:3: There is no setting "credential". drillyard serve --print-config shows every name.`,
    `${file}:4: port is "1"; it must be an integer from 0 to 65535.`,
    `${file}:5: workers is 0; it must be an integer from 1 to 256.`,
    `${file}:6: authorArguments must be a list of texts; its value is not shown, as it may hold a secret.`,
    `${file}:7: durability is ["x"]; it must be flushed or committed.`,
  ]);
  const kebab = yaml('public-url: https://a.example\nhost:\n');
  assert.deepEqual(problemsOf({ 'config-file': kebab }), [
    `${kebab}:2: There is no setting "public-url". Did you mean "publicUrl"?`,
    `${kebab}:3: host is null; it must be an IP address or a host name of this machine, such as 127.0.0.1.`,
  ]);
  for (const [text, expected] of [
    ['port: 1\n', /schemaVersion must be 1/],
    ['- 1\n', /must be an object of settings/],
    ['', /must be an object of settings/],
    ['schemaVersion: 1\nport: 1\nport: 2\n', /:3:1: 'port' is given twice/],
    ['schemaVersion: [\n', /:2:\d+: /],
  ] as const)
    assert.match(problemsOf({ 'config-file': fileOf(text) })[0] ?? '', expected);
  assert.match(problemsOf({ 'config-file': fileOf('{schemaVersion: 1}', 'serve.json') })[0] ?? '', /serve\.json:1:\d+: /);
  assert.match(problemsOf({ 'config-file': join(scratch, 'none') })[0] ?? '', /cannot be read: there is no such file\.$/);
  assert.match(problemsOf({ 'config-file': scratch })[0] ?? '', /cannot be read: a folder is in its place\.$/);
  // What is set in two places is informed of the one that wins.
  assert.deepEqual(problemsOf({ 'config-file': yaml('port: 1\n'), port: 'x' }), ['--port is "x"; it must be an integer from 0 to 65535.']);
});

test('what is shown is what holds, from where, may be used again, and has no secret in it', () => {
  const shownOf = (flags: Texts, environment: Texts = {}) => {
    const settings = read(flags, environment);
    assert.ok('values' in settings, JSON.stringify(settings));
    return { options: settings.options, shown: shownSettings(settings) };
  };
  const file = yaml('workers: 3\ntrustedProxy: [10.0.0.7]\n');
  const { shown, options } = shownOf({ 'config-file': file, port: '9' }, { DRILLYARD_RATE_PER_SECOND: '4000' });
  const of = (name: string) => shown.find((setting) => setting.name === name);
  assert.deepEqual(of('port'), { name: 'port', value: 9, source: '--port' });
  assert.deepEqual(of('workers'), { name: 'workers', value: 3, source: `${file}:2` });
  assert.deepEqual(of('ratePerSecond'), { name: 'ratePerSecond', value: 4000, source: 'DRILLYARD_RATE_PER_SECOND' });
  assert.deepEqual(of('rateBurst'), { name: 'rateBurst', value: 4000, source: 'default' });
  assert.deepEqual(of('host'), { name: 'host', value: '127.0.0.1', source: 'default' });
  assert.deepEqual(of('isolate'), { name: 'isolate', words: 'box, or process without bubblewrap', source: 'default' });
  assert.deepEqual(
    shown.map(({ name }) => name),
    serveSettings.map(fileName),
  );
  assert.deepEqual(optionsOf({ 'config-file': fileOf(settingsText(shown)) }), options);
  const identity = { 'oidc-issuer': 'https://id', 'oidc-audience': 'us', 'oidc-jwks-url': 'https://me:s3cret@id/keys?key=s3cret' };
  const secret = shownOf({ ...identity, 'author-command': 'a', 'author-arguments': '["--key","s3cret"]' }).shown;
  assert.ok(!JSON.stringify(secret).includes('s3cret') && !settingsText(secret).includes('s3cret'));
  assert.match(settingsText(secret), /^# authorArguments: .* a part of it is not shown$/m);
  // What says nothing without a setting that is not shown is a comment with it.
  assert.match(settingsText(secret), /^# oidcIssuer: "https:\/\/id" # --oidc-issuer, needs oidcJwksUrl$/m);
  assert.deepEqual(optionsOf({ 'config-file': fileOf(settingsText(secret)) }).author, {
    executable: 'a',
    arguments: [],
    timeoutMs: 600_000,
  });
  const url = 'postgres://u:s3cret@h/db?sslmode=disable';
  const cluster = { node: 'n1', 'node-address': 'http://10.0.0.1:1', homes: '8', 'key-file': '/k' };
  const node = settingsText(shownOf({ ...cluster, cluster: url }).shown);
  assert.ok(!node.includes('s3cret'));
  for (const name of ['node', 'nodeAddress', 'homes']) assert.match(node, new RegExp(`^# ${name}: .*, needs cluster$`, 'm'));
  assert.equal(optionsOf({ 'config-file': fileOf(node) }).keyFile, '/k');
  const open = settingsText(shownOf({ ...cluster, cluster: 'postgres://h/db' }).shown);
  assert.equal(optionsOf({ 'config-file': fileOf(open) }).cluster?.node, 'n1');
});

test('a grace for the server key as a flag needs a rotation; a variable may hold it for the starts that rotate', () => {
  assert.deepEqual(problemsOf({ 'key-grace-ms': '1000' }), [
    '--key-grace-ms says nothing without --rotate-key: add that, or leave it out.',
  ]);
  assert.equal(optionsOf({}, { DRILLYARD_KEY_GRACE_MS: '1000' }).rotateKey, undefined);
  const rotating = readServeSettings({ flags: { 'key-grace-ms': '1000' }, environment: {}, rotateKey: true });
  assert.deepEqual('options' in rotating && rotating.options.rotateKey, { graceMs: 1000 });
});

test('the server refuses the name of a setting with the option that has it, and knows each option that it names', () => {
  const refusalOf = (options: object): string => {
    try {
      requireServerOptions(options as ControlServerOptions);
      return '';
    } catch (error) {
      assert.ok(error instanceof ServiceError && error.code === 'control.INVALID_REQUEST', String(error));
      return error.message;
    }
  };
  assert.equal(
    refusalOf({ dataDir: 'x' }),
    'startControlServer has no option "dataDir". The setting dataDir is the option "dataDirectory".',
  );
  assert.match(refusalOf({ buildRetentionDays: 1 }), /^startControlServer has no option .* is the option "retention\.buildMs"\.$/);
  assert.match(refusalOf({ dataDirectry: 'x' }), /Did you mean "dataDirectory"\?$/);
  for (const group of [
    'connections',
    'agents',
    'rate',
    'quarantine',
    'quotas',
    'retention',
    'rotateKey',
    'identity',
    'author',
    'log',
    'cluster',
  ])
    assert.match(refusalOf({ [group]: { noSuchOption: 1 } }), new RegExp(`has no option "${group}\\.noSuchOption"`));
  for (const name of serveSettings.map(fileName)) {
    const refusal = refusalOf({ [name]: undefined });
    if (refusal === '') continue;
    const option = /^startControlServer has no option "\w+"\. The setting \w+ is the option "([\w.]+)"\.$/.exec(refusal)?.[1] ?? '';
    assert.notEqual(option, '', refusal);
    const given = option.split('.').reduceRight<unknown>((value, member) => ({ [member]: value }), undefined) as object;
    assert.doesNotMatch(refusalOf(given), /has no option/);
  }
});

test('the rate has a burst of at least its second', () => {
  assert.deepEqual(optionsOf({ 'rate-per-second': '5000' }).rate, { perSecond: 5000, burst: 5000 });
  assert.deepEqual(optionsOf({ 'rate-per-second': '5', 'rate-burst': '1' }).rate, { perSecond: 5, burst: 1 });
});

test('an identity provider is whole or not there, and so is an author', () => {
  const whole = { 'oidc-issuer': 'https://id', 'oidc-audience': 'us', 'oidc-jwks-url': 'https://id/keys' };
  assert.deepEqual(optionsOf(whole).identity, {
    issuer: 'https://id',
    audience: 'us',
    jwksUrl: 'https://id/keys',
    organizationClaim: 'organization',
  });
  assert.match(problemsOf({ 'oidc-issuer': 'https://id', 'oidc-audience': 'us' })[0] ?? '', /needs --oidc-jwks-url too/);
  assert.match(problemsOf({ 'oidc-role-claim': 'role' })[0] ?? '', /needs --oidc-issuer and --oidc-audience and --oidc-jwks-url too/);
  assert.deepEqual(optionsOf({ 'author-command': 'a', 'author-arguments': '["b"]' }).author, {
    executable: 'a',
    arguments: ['b'],
    timeoutMs: 600_000,
  });
  assert.match(problemsOf({ 'author-arguments': '["b"]' })[0] ?? '', /--author-command/);
  assert.match(problemsOf({ 'author-command': 'a', 'author-arguments': '"b"' })[0] ?? '', /a JSON array of strings/);
});

// CLUSTER-STORE-1
test('a store of a cluster is a folder or a bucket, and its address has no place for a secret', () => {
  const cluster = { cluster: 'postgres://db/a', node: 'n', 'node-address': 'http://a:1', 'key-file': 'k' };
  const fine = ['file:///mnt/a%20b', 's3://drills', 's3://drills/a/b?region=eu-1', 's3://drills/?endpoint=http://127.0.0.1:9000'];
  for (const store of fine) assert.equal(optionsOf({ ...cluster, 'cluster-store': store }).cluster?.store, store);
  const bad = [
    '/mnt/a',
    'file:///',
    'file://host/a',
    'http://a/b',
    's3://',
    's3://key:secret@drills',
    's3://drills?secret=a',
    's3://drills:9000/a',
  ];
  for (const store of [...bad, 's3://drills?endpoint=http://u:p@a', 's3://drills?region=a&region=b', 's3://drills/a#b'])
    assert.equal(problemsOf({ ...cluster, 'cluster-store': store }).length, 1, store);
  assert.match(problemsOf({ 'cluster-store': 's3://drills' })[0] as string, /without --cluster/);
});
