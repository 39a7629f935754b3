// What compat/compat.ts of a tool package imports as `drillyard/compat`.
export {
  type CompatContext,
  type CompatDefinition,
  defineCompat,
  type RecordedExchange,
  type VendorOperation,
  type VendorOperations,
} from './compat-kit/definition.js';
export { installedJson } from './compat-kit/installed-package.js';
export { type OpenApiCheckerOptions, openApiChecker } from './compat-kit/openapi-checker.js';
