// Two runs of one drill, as a support desk would have them: an agent refunds a duplicate charge. In one it does so once; in the other
// the answer of its first refund is lost, and it refunds again under another key.
import { jsonDigest, sha256Digest } from '../../src/contract/digest.js';
import type { JsonValue } from '../../src/contract/json.js';
import type { AssertionResult, CheckpointResult, InteractionResult, RunResult, RunSetup } from '../../src/contract/run/run.js';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { runVerdict } from '../../src/contract/run/verdict.js';
import type { ReportAttachment } from '../../src/reports/write-run-report.js';
import { handled, ok, rowChange, scheduled, TestJournal } from './journal.js';

export interface RunFixture {
  report: RunReport;
  lines: string[];
  attachments: ReportAttachment[];
  journal: TestJournal;
}

const secondUs = 1_000_000;
const dayUs = 86_400 * secondUs;
/** 2026-03-02 09:00 UTC. */
const startUs = 1_772_442_000 * secondUs;
const agentLog = Buffer.from(
  '09:00:00 reading tkt-1042\n09:00:00 two charges of 4200 for order 7731, refunding ch-1042-b\n09:00:00 refund failed: ANSWER_LOST, trying again\n09:00:00 done\n',
);
const charge = { amount: 4200, amountRefunded: 0, currency: 'EUR', customerId: 'cus-mia', orderId: '7731', status: 'captured' };
const ticket = {
  subject: 'Charged twice for order 7731',
  status: 'open',
  requesterId: 'cus-mia',
  priority: 'high',
  commentCount: 1,
  assigneeId: null,
};

const startSetup: RunSetup['setup'] = {
  tools: {
    packages: ['payments', 'ticket-desk'].map((packageId) => ({
      packageId,
      version: '1.2.0',
      manifestHash: sha256Digest(`${packageId} manifest`),
      artifactHash: sha256Digest(`${packageId} artifact`),
    })),
    behaviorOverrides: [],
  },
  bindings: { environment: { DESK_URL: 'SERVICE_HTTP_URL', DESK_TOKEN: 'SERVICE_HTTP_TOKEN' } },
  scenario: {
    virtualTimeUs: startUs,
    actors: [
      {
        id: 'support-agent',
        description: 'First-line support. May refund up to 100 EUR.',
        attributes: { team: 'billing', refundLimit: 10_000 },
        grants: [
          ...['charges.list', 'charges.get', 'refunds.create'].map((operationId) => ({ packageId: 'payments', operationId })),
          ...['tickets.get', 'tickets.update', 'comments.add'].map((operationId) => ({ packageId: 'ticket-desk', operationId })),
        ],
      },
    ],
    state: [
      { action: 'upsert', packageId: 'payments', namespace: 'charges', rowId: 'ch-1042-a', value: charge },
      { action: 'upsert', packageId: 'payments', namespace: 'charges', rowId: 'ch-1042-b', value: charge },
      { action: 'upsert', packageId: 'ticket-desk', namespace: 'tickets', rowId: 'tkt-1042', value: ticket },
    ],
    faults: [{ packageId: 'payments', faultId: 'answer-lost' }],
    initialEvents: [],
    toolOverrides: [],
  },
};
const setupHash = jsonDigest(startSetup.scenario as unknown as JsonValue);

export function passingRun(runId = 'run_01kjpf3q5d0c9h8r7s6t5v4w3x'): RunFixture {
  return refundRun(runId, { answerLost: false });
}

/** `before`: what its world had seen when it began. */
export function failingRun(runId = 'run_01kjpf3q5d1c9h8r7s6t5v4w3x', before?: (journal: TestJournal) => void): RunFixture {
  return refundRun(runId, { answerLost: true, before });
}

interface Refund {
  answerLost: boolean;
  before?: ((journal: TestJournal) => void) | undefined;
}
function refundRun(runId: string, { answerLost, before }: Refund): RunFixture {
  const journal = new TestJournal(startUs);
  journal.turn({
    kind: 'lifecycle',
    phase: 'world_created',
    details: { buildHash: sha256Digest('build'), setupHash, stateHash: sha256Digest('start'), seed: '42', trial: 2, attempt: 1 },
  });
  before?.(journal);
  const refunds = writeRefunds(journal, answerLost);
  const refundEnd = journal.nowUs;
  const invariant = assertion('never-above-charge', 'state.value', answerLost ? 'failed' : 'passed', {
    message: answerLost ? 'ch-1042-b is refunded by 8400 of 4200.' : 'No charge is refunded by more than its amount.',
    ...(answerLost ? { expected: 4200, actual: 8400 } : {}),
    location: { subject: 'state', packageId: 'payments', namespace: 'charges', rowId: 'ch-1042-b', path: ['amountRefunded'] },
    evidenceSequences: [refunds.lastChange],
  });
  const checkpoints = [checkpoint(journal, 'after-refund', 'after_interaction', [invariant], 'refund')];
  writeReply(journal);
  const replyEnd = journal.nowUs;
  checkpoints.push(checkpoint(journal, 'after-reply', 'after_interaction', [invariant], 'reply'));
  writeSettlement(journal, answerLost);
  const assertionResults = assertionsOf(journal, { answerLost, refunds });
  checkpoint(journal, 'final', 'final', assertionResults);
  const result: RunResult = {
    ...resultCommon(runId, journal),
    interactions: [
      interaction(
        'refund',
        startUs,
        refundEnd,
        'Customer Mia was charged twice for order 7731 (ticket tkt-1042).\nRefund the second charge, once.',
        {
          refunded: 'ch-1042-b',
          refundId: answerLost ? 're-2' : 're-1',
        },
      ),
      interaction(
        'reply',
        refundEnd,
        replyEnd,
        'Tell the customer when the money arrives, and resolve the ticket.',
        'Told Mia, resolved tkt-1042.',
      ),
    ],
    checkpoints,
    verdict: runVerdict([...assertionResults, invariant]),
    assertionResults,
  };
  const report: RunReport = {
    schemaVersion: 1,
    runId,
    drill: { id: 'refund-duplicate-charge', title: 'Refund a duplicate charge exactly once', tags: ['payments', 'refunds'] },
    target: { id: 'support-agent', kind: 'module' },
    result,
    startedAtMs: 1_780_000_000_000,
    finishedAtMs: 1_780_000_000_034,
    engineVersion: '0.1.0',
    invocation: { id: 'inv_01kjpf3q5d1c9h8r7s6t5v4w3x', seed: '42' },
  };
  return { report, lines: journal.lines(), attachments: [{ descriptor: logDescriptor, bytes: agentLog }], journal };
}

/** The first interaction: read, refund, and where the answer is lost refund again. */
function writeRefunds(journal: TestJournal, answerLost: boolean): { inserts: number[]; lastChange: number } {
  journal.call('support-agent', 'ticket-desk.tickets.get', { ticketId: 'tkt-1042' }, ok({ ticketId: 'tkt-1042', ...ticket }));
  journal.nowUs += 2 * secondUs;
  journal.call(
    'support-agent',
    'payments.charges.list',
    { customerId: 'cus-mia' },
    ok({
      charges: [
        { chargeId: 'ch-1042-a', ...charge },
        { chargeId: 'ch-1042-b', ...charge },
      ],
    }),
  );
  journal.nowUs += 3 * secondUs;
  const inserts: number[] = [];
  let refunded = 0;
  const refund = (refundId: string, key: string, lost: boolean): void => {
    const row = {
      chargeId: 'ch-1042-b',
      amount: 4200,
      currency: 'EUR',
      reason: 'duplicate',
      status: 'pending',
      settlesAtUs: journal.nowUs + 2 * dayUs,
    };
    const before = { ...charge, amountRefunded: refunded, status: refunded === 0 ? 'captured' : 'refunded' };
    refunded += 4200;
    const error = { code: 'ANSWER_LOST', message: 'The connection was closed before an answer came.', retryable: true };
    const first = journal.call(
      'support-agent',
      'payments.refunds.create',
      { chargeId: 'ch-1042-b', amount: 4200, reason: 'duplicate' },
      lost ? { kind: 'tool_error', error } : ok({ refundId, ...row }),
      {
        key,
        effects: [
          rowChange(`payments/refunds/${refundId}`, null, row),
          rowChange('payments/charges/ch-1042-b', before, { ...before, amountRefunded: refunded, status: 'refunded' }),
          scheduled('payments.refund.settles', { refundId }, journal.nowUs + 2 * dayUs, inserts.length + 1),
          ...(lost
            ? [
                {
                  kind: 'fault' as const,
                  packageId: 'payments',
                  instanceId: 'payments',
                  faultId: 'answer-lost',
                  operationId: 'refunds.create',
                  timing: 'after_commit' as const,
                },
              ]
            : []),
        ],
      },
    );
    inserts.push(first + 1);
  };
  refund('re-1', 'refund-tkt-1042', answerLost);
  if (answerLost) {
    journal.nowUs += 5 * secondUs;
    refund('re-2', 'refund-tkt-1042-again', false);
  }
  return { inserts, lastChange: (inserts.at(-1) ?? 0) + 1 };
}

function writeReply(journal: TestJournal): void {
  journal.nowUs += 20 * secondUs;
  const body = 'The second charge of 42.00 EUR is refunded; it arrives in two days.';
  journal.call('support-agent', 'ticket-desk.comments.add', { ticketId: 'tkt-1042', body, public: true }, ok({ commentId: 'cmt-2' }), {
    effects: [
      rowChange('ticket-desk/comments/cmt-2', null, { ticketId: 'tkt-1042', authorId: 'support-agent', public: true, body }),
      rowChange('ticket-desk/tickets/tkt-1042', ticket, { ...ticket, commentCount: 2 }),
    ],
  });
  journal.call(
    'support-agent',
    'payments.payouts.create',
    { amount: 4200 },
    { kind: 'denied', error: { code: 'NOT_GRANTED', message: 'support-agent has no grant for payments.payouts.create', retryable: false } },
  );
  journal.nowUs += 1 * secondUs;
  journal.call(
    'support-agent',
    'ticket-desk.tickets.update',
    { ticketId: 'tkt-1042', status: 'resolved' },
    ok({ ticketId: 'tkt-1042', status: 'resolved' }),
    {
      effects: [
        rowChange('ticket-desk/tickets/tkt-1042', { ...ticket, commentCount: 2 }, { ...ticket, commentCount: 2, status: 'resolved' }),
      ],
    },
  );
}

/** Two days later the refunds settle. */
function writeSettlement(journal: TestJournal, answerLost: boolean): void {
  const endUs = startUs + 3 * dayUs;
  const delaysUs = answerLost ? [5 * secondUs, 10 * secondUs] : [5 * secondUs];
  delaysUs.forEach((delayUs, index) => {
    const refundId = `re-${index + 1}`;
    journal.nowUs = startUs + 2 * dayUs + delayUs;
    const row = {
      chargeId: 'ch-1042-b',
      amount: 4200,
      currency: 'EUR',
      reason: 'duplicate',
      status: 'pending',
      settlesAtUs: journal.nowUs,
    };
    journal.turn(
      handled('payments.refund.settles', { refundId }, index + 1),
      rowChange(`payments/refunds/${refundId}`, row, { ...row, status: 'settled' }),
      rowChange('payments/ledger/merchant', { balance: 120_000 - index * 4200 }, { balance: 120_000 - (index + 1) * 4200 }),
    );
  });
  journal.moveClock(endUs);
}

function assertionsOf(
  journal: TestJournal,
  { answerLost, refunds }: { answerLost: boolean; refunds: { inserts: number[] } },
): AssertionResult[] {
  const comment = journal.entries.find((entry) => entry.kind === 'operation' && entry.invocation.operationId === 'comments.add');
  const denied = journal.entries.find((entry) => entry.kind === 'operation' && entry.outcome.kind === 'denied');
  const settled = journal.entries.filter((entry) => entry.kind === 'event' && entry.phase === 'handled');
  const ledger = { subject: 'state', packageId: 'payments', namespace: 'ledger', rowId: 'merchant' } as const;
  return [
    assertion('refunded-once', 'state.count', answerLost ? 'failed' : 'passed', {
      message: answerLost
        ? 'payments/refunds has 2 rows with chargeId "ch-1042-b"; exactly 1 is wanted.'
        : 'payments/refunds has 1 row with chargeId "ch-1042-b".',
      expected: { equals: 1 },
      actual: answerLost ? 2 : 1,
      location: { subject: 'state', packageId: 'payments', namespace: 'refunds' },
      evidenceSequences: refunds.inserts,
    }),
    assertion('merchant-ledger', 'state.value', answerLost ? 'failed' : 'passed', {
      message: answerLost ? 'The merchant paid twice.' : 'The merchant paid once.',
      expected: { balance: 115_800, currency: 'EUR' },
      actual: answerLost ? { balance: 111_600, currency: 'EUR' } : { balance: 115_800, currency: 'EUR' },
      location: { ...ledger, path: [] },
      diff: { operator: 'equals', matched: !answerLost, details: {} },
      evidenceSequences: settled.map((entry) => entry.sequence + 2),
    }),
    assertion('customer-told', 'operation.count', 'passed', {
      message: 'ticket-desk.comments.add was called once.',
      expected: { atLeast: 1 },
      actual: 1,
      location: { subject: 'operation', packageId: 'ticket-desk', operationId: 'comments.add' },
      evidenceSequences: comment === undefined ? [] : [comment.sequence],
    }),
    assertion('no-payout', 'operation.denied', 'passed', {
      message: 'payments.payouts.create was denied once.',
      location: { subject: 'operation', packageId: 'payments', operationId: 'payouts.create' },
      evidenceSequences: denied === undefined ? [] : [denied.sequence],
    }),
    {
      ...assertion('asked-first', 'operation.order', answerLost ? 'failed' : 'passed', {
        message: answerLost ? 'The charges were not listed again before the second refund.' : 'The charges were listed before the refund.',
        evidenceSequences: refunds.inserts.map((sequence) => sequence - 1),
      }),
      gate: false,
    },
  ];
}

function assertion(
  assertionId: string,
  kind: string,
  status: AssertionResult['status'],
  rest: Partial<AssertionResult> & { message: string },
): AssertionResult {
  return { schemaVersion: 1, assertionId, kind, status, gate: true, evidenceSequences: [], ...rest };
}

function checkpoint(
  journal: TestJournal,
  checkpointId: string,
  kind: CheckpointResult['kind'],
  assertionResults: AssertionResult[],
  interactionId?: string,
): CheckpointResult {
  const verdict = runVerdict(assertionResults);
  journal.turn({
    kind: 'verification',
    checkpointId,
    checkpointKind: kind,
    result: { verdict, assertions: assertionResults.map(({ assertionId, status, gate }) => ({ assertionId, status, gate })) },
  });
  return {
    schemaVersion: 1,
    checkpointId,
    kind,
    virtualTimeUs: journal.nowUs,
    verdict,
    assertionResults,
    ...(interactionId === undefined ? {} : { interactionId }),
  };
}

const logDescriptor = {
  schemaVersion: 1,
  kind: 'file',
  id: 'att-agent-log',
  name: 'agent.log',
  mediaType: 'text/plain; charset=utf-8',
  bytes: agentLog.length,
  hash: sha256Digest(agentLog),
  redaction: { status: 'not_applied', note: null },
} as const;

function interaction(
  interactionId: string,
  fromUs: number,
  toUs: number,
  instruction: string,
  output: InteractionResult['targetResult']['output'],
): InteractionResult {
  return {
    schemaVersion: 1,
    interactionId,
    actorId: 'support-agent',
    task: { instruction, input: { ticketId: 'tkt-1042' } },
    scheduledAtVirtualUs: fromUs,
    startedAtVirtualUs: fromUs,
    finishedAtVirtualUs: toUs,
    bindingEvidence: 'observed',
    targetResult: { schemaVersion: 1, status: 'completed', attachments: [], ...(output === undefined ? {} : { output }) },
  };
}

function resultCommon(
  runId: string,
  journal: TestJournal,
): Omit<RunResult, 'interactions' | 'checkpoints' | 'verdict' | 'assertionResults'> {
  const policies = { logs: 'always', screenshots: 'off', video: 'off', files: 'off' } as const;
  return {
    schemaVersion: 1,
    identity: {
      runId,
      worldInstanceId: 'world_0h7kq2mv9x4tbn8c',
      drillId: 'refund-duplicate-charge',
      targetId: 'support-agent',
      buildHash: sha256Digest('build'),
      packageLockHash: jsonDigest(startSetup.tools.packages),
      seed: '42',
      trial: 2,
      trialCount: 3,
      attempt: 1,
      attemptLimit: 1,
      scenarioId: 'duplicate-charge',
      setupHash,
    },
    startedAtVirtualUs: startUs,
    finishedAtVirtualUs: journal.nowUs,
    bindingEvidence: 'observed',
    worldConsistency: 'atomic',
    budgetUsage: {
      toolCalls: { limit: 20, attempted: journal.entries.filter((entry) => entry.kind === 'operation').length, rejected: 0 },
      scheduledEvents: {
        limit: 10_000,
        processed: journal.entries.filter((entry) => entry.kind === 'event' && entry.phase === 'handled').length,
        exhausted: false,
      },
    },
    status: 'sealed',
    evidenceRange: { fromSequence: 1, toSequence: journal.sequence },
    stateHash: sha256Digest('state'),
    evidenceHash: journal.evidenceHash(),
    trajectoryHash: journal.trajectoryHash(),
    setup: { schemaVersion: 1, drillId: 'refund-duplicate-charge', setup: startSetup, setupHash },
    capture: {
      schemaVersion: 1,
      policies,
      attachments: [{ kind: 'log', policy: 'always', attachment: logDescriptor, interactionId: 'refund' }],
      errors: [],
      discarded: { logs: 0, screenshots: 0, video: 0, files: 0 },
    },
  };
}
