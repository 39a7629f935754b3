// What is shown of this package: the `stripe` client, unchanged, drives every route, and each response is a value of the type that the
// client has for it.
import { defineCompat, typeChecker } from 'drillyard/compat';
import { flow } from './flow.js';
import { covered, operations, unsupported } from './operations.js';

const types = Object.fromEntries(
  Object.entries(covered).flatMap(([resource, methods]) =>
    methods.map((method) => [`${resource}.${method}`, `import('./wire-types.js').Answer<'${resource}', '${method}'>`]),
  ),
);

export default defineCompat({
  clients: ['stripe'],
  operations: { list: operations },
  unsupported,
  checkResponse: typeChecker({ from: import.meta.url, types, errors: "import('./wire-types.js').ErrorBody" }),
  flow,
});
