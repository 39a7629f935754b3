import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { environmentName, readServeSettings, serveSettings } from '../../src/cli/serve-settings.js';
import { limits } from '../../src/contract/limits.js';

const read = (flags: { [flag: string]: string }, environment: { [name: string]: string } = {}) => readServeSettings(flags, environment);
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
    `| body | ${mib(limits.bodyBytesMax)}; an attachment ${mib(limits.attachmentBytesMax)} |`,
    `| JSON depth | ${limits.jsonDepthMax} |`,
    `| headers | ${limits.headerBytesMax / 1024} KiB, and ${s(limits.headersTimeoutMs)} to arrive; a body ${s(limits.bodyTimeoutMs)} |`,
    `| operations that wait in one session | ${limits.lanePendingMax}, then \`503 control.WORLD_BUSY\` |`,
    `| messages that wait in one world | ${limits.mailboxMessagesMax.toLocaleString('en')}, then \`503 control.WORLD_BUSY\` |`,
    `| accesses of one session at once | ${limits.accessesMax.toLocaleString('en')} |`,
    `| snapshots of one session | ${limits.sessionSnapshotsMax} |`,
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
    `| requests of one address without a valid credential | ${limits.strangerPerSecond} a second, ${limits.strangerBurst.toLocaleString('en')} at once,`,
    `| bodies that come at once | ${mib(limits.organizationBodyBytesMax)} of an organization and ${mib(limits.bodyBytesUnderWayMax)} in all, as they declare;`,
    `| replies that may be large and have not left | ${mib(limits.organizationReplyBytesMax)} of an organization and ${mib(limits.replyBytesUnderWayMax)} in all;`,
    `waits up to ${s(limits.replyWaitMsMax)}, then`,
    `| a page of evidence, rows or pending events | ${mib(limits.pageBytesMax)}, and at least one of them |`,
  ];
  for (const row of rows) assert.ok(page.includes(row), row);
});

test('docs/hosting.md has every setting as it is, in order', () => {
  const documented = page.split('\n').filter((line) => /^\| `--[a-z-]+ .*DRILLYARD_/.test(line));
  const rows = serveSettings.map((setting) => {
    const { flag, placeholder, text } = setting;
    return `| \`--${flag} ${placeholder}\` | \`${environmentName(setting)}\` | ${setting.default} | ${text} |`;
  });
  assert.deepEqual(documented, rows);
});

test('a fixed default is a value that its setting takes', () => {
  const words = ['where it listens', 'the faster that is right', 'processors, at most 8', 'box, or process without bubblewrap', 'none'];
  for (const setting of serveSettings) if (!words.includes(setting.default)) setting.parse(setting.default);
});

test('a flag wins over the environment, and an empty variable is none', () => {
  assert.equal(optionsOf({ port: '1' }, { DRILLYARD_PORT: '2' }).port, 1);
  assert.equal(optionsOf({}, { DRILLYARD_PORT: '2' }).port, 2);
  assert.equal(optionsOf({}, { DRILLYARD_PORT: '' }).port, undefined);
});

test('each kind of value is read, or told what it must be', () => {
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
