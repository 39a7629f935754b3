// The turns of an authoring session: one at a time, each an operation. What it changes is compiled before it can be published.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { AuthoringProposal, AuthoringTurn, CreateTurnRequest } from '../../contract/hosted/authoring.js';
import type { SourceChange } from '../../contract/hosted/source.js';
import { newId } from '../../contract/ids.js';
import type { JsonValue } from '../../contract/json.js';
import { runErrorForOthers } from '../../drills/ports/run-error.js';
import type { ChangeEndpoint } from '../catalog/endpoint.js';
import { noteStorage, requireStorage } from '../catalog/storage-use.js';
import type { Change } from '../catalog/tables.js';
import { requireVersion } from '../catalog/versions.js';
import type { Ending, OperationRecord, Runner, RunnerContext } from '../core/operations.js';
import type { ControlServices } from '../core/services.js';
import {
  applyChanges,
  bytesOfTree,
  filesOf,
  keepTree,
  loadTree,
  type SourceTree,
  treeDigest,
  withMaterialized,
} from '../source/source-trees.js';
import { askCommandAuthor, filesFor } from './author.js';
import {
  type AuthoringRecord,
  authoringTable,
  noteRecord,
  proposalTable,
  putAuthoring,
  putTurn,
  requireAuthoring,
  requireInactive,
  turnTable,
} from './authoring-records.js';

interface TurnInput {
  turnId: string;
  prompt: string;
  changes?: SourceChange[];
}

export function createTurn(services: ControlServices): ChangeEndpoint<'createAuthoringTurn'> {
  return {
    kind: 'change',
    apply: (tx, { path, caller, body, correlationId, idempotencyKey, requestHash }) => {
      const record = requireAuthoring(tx, { ...path, ...caller });
      requireVersion(record.session, body);
      requireInactive(record);
      requireChanges(record, body);
      requireStorage(tx, services, record.session);
      const nowMs = services.nowMs();
      const turnId = newId('aturn');
      const { authoringSessionId, organizationId, projectId } = record.session;
      const turn: AuthoringTurn = {
        schemaVersion: 1,
        turnId,
        authoringSessionId,
        state: 'queued',
        author: record.author,
        prompt: body.prompt,
        createdBy: caller.userId ?? caller.credentialId,
        createdAtMs: nowMs,
      };
      tx.put(turnTable, turn);
      noteRecord(tx, record.session, turn);
      const { session } = putAuthoring(tx, record, { activeTurnId: turnId }, nowMs);
      const input: TurnInput = { turnId, prompt: body.prompt, ...defined({ changes: body.changes }) };
      const operation = services.operations.create(tx, {
        kind: 'authoring.turn',
        organizationId,
        projectId,
        lane: `authoring:${authoringSessionId}`,
        resource: { type: 'authoringSession', id: authoringSessionId },
        input: input as unknown as JsonValue,
        idempotencyKey,
        requestHash,
        correlationId,
      });
      return { reply: { session, turn, operation }, resource: { type: 'authoringTurn', id: turnId } };
    },
  };
}

function requireChanges({ author }: AuthoringRecord, { changes }: CreateTurnRequest): void {
  if ((author === 'manual') === (changes !== undefined)) return;
  const message =
    author === 'manual' ? 'is required: a manual turn carries its changes' : 'is not accepted: the command author makes the changes';
  throw new ServiceError('control.INVALID_REQUEST', {
    message: 'The turn does not fit its author.',
    issues: [{ path: '/changes', code: author === 'manual' ? 'required' : 'unexpected', message }],
  });
}

export function turnRunner(services: ControlServices): Runner {
  const { catalog, nowMs } = services;
  return {
    run: async (operation, context) => {
      const { turnId } = operation.input as unknown as TurnInput;
      await catalog.change((tx) => putTurn(tx, turnId, { state: 'running' }, nowMs()));
      try {
        return await takeTurn(services, operation, context);
      } catch (error) {
        if (!context.signal.aborted) throw error;
        return { state: 'cancelled', apply: (tx) => endTurn(tx, services, operation, { state: 'cancelled' }) };
      }
    },
    onCancel: (tx, operation) => {
      endTurn(tx, services, operation, { state: 'cancelled' });
    },
    onFailure: (tx, operation, error) => {
      endTurn(tx, services, operation, {
        state: 'failed',
        error: { ...runErrorForOthers(error, () => {}), correlationId: operation.correlationId },
      });
    },
  };
}

async function takeTurn(services: ControlServices, { operation, input }: OperationRecord, { signal }: RunnerContext): Promise<Ending> {
  const { turnId, prompt, changes: given } = input as unknown as TurnInput;
  const { blobs, catalog } = services;
  const record = catalog.view.get(authoringTable, operation.resourceId)!;
  const before: SourceTree = record.sourceDigest === undefined ? new Map() : await loadTree(record.sourceDigest, blobs);
  const changes = given ?? (await askAuthor(services, record, { turnId, prompt, before, signal }));
  const after = changes.length === 0 ? before : await applyChanges(before, changes, blobs);
  const sourceDigest = treeDigest(after);
  if (after.size === 0 || sourceDigest === record.sourceDigest) {
    return { state: 'succeeded', apply: (tx) => endTurn(tx, services, { operation, input }, { state: 'unchanged' }) };
  }
  await keepTree(after, blobs);
  const { compiled, diagnostics } = await withMaterialized(services, after, signal, (root) =>
    services.compiler.compile({ root, signal, projectId: operation.projectId }),
  );
  const proposal: AuthoringProposal = {
    schemaVersion: 1,
    proposalId: newId('proposal'),
    authoringSessionId: record.session.authoringSessionId,
    turnId,
    sourceDigest,
    files: filesOf(after),
    changes,
    compiles: compiled !== undefined,
    ...defined({ buildHash: compiled?.summary.buildHash }),
    diagnostics,
    createdAtMs: services.nowMs(),
  };
  return {
    state: 'succeeded',
    apply: (tx) => {
      tx.put(proposalTable, proposal);
      noteRecord(tx, record.session, proposal);
      const { organizationId, projectId, authoringSessionId } = record.session;
      noteStorage(tx, { ownerId: authoringSessionId, organizationId, projectId, bytes: bytesOfTree(after) });
      return endTurn(tx, services, { operation, input }, { state: 'succeeded', proposalId: proposal.proposalId }, sourceDigest);
    },
  };
}

interface Question {
  turnId: string;
  prompt: string;
  before: SourceTree;
  signal: AbortSignal;
}
async function askAuthor(
  services: ControlServices,
  { session }: AuthoringRecord,
  { turnId, prompt, before, signal }: Question,
): Promise<SourceChange[]> {
  const { authoringSessionId, currentProposalId } = session;
  const proposal = currentProposalId === undefined ? undefined : services.catalog.view.get(proposalTable, currentProposalId);
  const files = await filesFor(before, services.blobs);
  const diagnostics = proposal?.diagnostics ?? [];
  return await askCommandAuthor(services.settings, { schemaVersion: 1, authoringSessionId, turnId, prompt, files, diagnostics }, signal);
}

type TurnEnd = Parameters<typeof putTurn>[2];
function endTurn(
  tx: Change,
  { nowMs }: ControlServices,
  { operation, input }: Pick<OperationRecord, 'operation' | 'input'>,
  end: TurnEnd,
  sourceDigest?: string,
): JsonValue {
  const turn = putTurn(tx, (input as unknown as TurnInput).turnId, end, nowMs());
  const record = tx.get(authoringTable, operation.resourceId)!;
  const proposed = end.proposalId === undefined ? {} : { currentProposalId: end.proposalId };
  const moved = sourceDigest === undefined ? record : { ...record, sourceDigest };
  putAuthoring(tx, moved, { activeTurnId: undefined, ...proposed }, nowMs());
  return { turnId: turn.turnId, state: turn.state, ...defined({ proposalId: turn.proposalId }) };
}
