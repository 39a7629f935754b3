// What is shown of Gmail's routes: @googleapis/gmail, unchanged, drives each of them, and each response is a value of the type that it has
// there. The routes below /mail/v1 are this package's own.
import { defineCompat } from 'drillyard/compat';
import { driveGmail } from './flow.js';
import { operations, unsupported } from './operations.js';
import { checkResponse } from './responses.js';

export default defineCompat({
  clients: ['@googleapis/gmail'],
  operations: { list: operations },
  routes: ['/gmail/v1', '/upload/gmail/v1'],
  unsupported,
  checkResponse,
  flow: driveGmail,
  scenarioId: 'history',
});
