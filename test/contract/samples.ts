// Sound documents, with every optional member somewhere, for tests to break.
export const scenario = {
  schemaVersion: 1,
  id: 'rush-hour',
  title: 'Rush hour',
  virtualTimeUs: 0,
  actors: [
    {
      id: 'ada',
      instanceId: 'one',
      description: 'An agent.',
      attributes: { team: 'a' },
      grants: [{ packageId: 'desk', instanceId: 'eu', operationId: 'tickets.get' }],
    },
  ],
  state: [
    { action: 'upsert', packageId: 'desk', instanceId: 'eu', namespace: 'tickets', rowId: 'T-1', value: { a: 1 } },
    { action: 'delete', packageId: 'desk', namespace: 'tickets', rowId: 'T-2' },
  ],
  faults: [{ packageId: 'desk', instanceId: 'eu', faultId: 'slow' }],
  initialEvents: [
    { event: { packageId: 'desk', instanceId: 'eu', eventId: 'sla.due' }, payload: {}, atUs: 5, actorId: 'ada', actorInstanceId: 'one' },
  ],
  toolOverrides: [
    {
      id: 'one',
      operation: { packageId: 'desk', instanceId: 'eu', operationId: 'tickets.get' },
      when: { arguments: { id: 1 }, actorId: 'ada', actorInstanceId: 'one' },
      outcome: { kind: 'error', code: 'GONE', message: 'Gone.', retryable: false },
      times: 1,
    },
    { id: 'two', operation: { packageId: 'desk', operationId: 'tickets.get' }, outcome: { kind: 'return', value: null } },
    { id: 'three', operation: { packageId: 'desk', operationId: 'tickets.get' }, outcome: { kind: 'original' } },
  ],
};
export const override = scenario.toolOverrides[2];
export const assertion = { id: 'a', kind: 'state.value', packageId: 'desk', namespace: 'tickets', rowId: 'T-1', expected: 1 };
export const drill = {
  schemaVersion: 1,
  id: 'first',
  title: 'First',
  tags: ['smoke'],
  targetId: 'agent',
  scenarioId: 'rush-hour',
  actorId: 'ada',
  task: { instruction: 'Go.', input: null },
  assertions: [assertion],
};

export const externalTarget = { id: 't', kind: 'external', bindings: ['cli'], timeoutMs: 1 };
