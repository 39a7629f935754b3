// What is shown of Zendesk's routes: node-zendesk, unchanged, drives each of them, and each record is a value of the type that it has
// there. The routes below /desk/v1 are this package's own.
import { defineCompat } from 'drillyard/compat';
import { driveZendesk } from './flow.js';
import { operations, unsupported } from './operations.js';
import { checkResponse } from './responses.js';

export default defineCompat({
  clients: ['node-zendesk'],
  operations: { list: operations },
  routes: ['/api/v2'],
  unsupported,
  checkResponse,
  flow: driveZendesk,
});
