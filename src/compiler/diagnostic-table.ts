// Every code the compiler can report, once. docs/diagnostics.md explains each; a test compares the two.

interface DiagnosticRule {
  severity: 'error' | 'warning';
  title: string;
}
const error = (title: string): DiagnosticRule => ({ severity: 'error', title });
const warning = (title: string): DiagnosticRule => ({ severity: 'warning', title });

export const diagnosticTable = {
  // Reading files.
  DY1001: error('Root file not found'),
  DY1002: error('File cannot be read'),
  DY1003: error('Syntax error'),
  DY1004: error('Duplicate key'),
  DY1005: error('Value is not JSON'),
  DY1006: error('File or document too large'),
  DY1007: error('Symbolic link refused'),
  DY1008: error('Path leaves its root'),
  DY1009: error('World file not found'),
  DY1010: error('Source root not found'),
  DY1011: warning('File is not read'),
  DY1012: error('File of cases not found'),

  // Shapes.
  DY2001: error('Unknown field'),
  DY2002: error('Missing field'),
  DY2003: error('Wrong value'),
  DY2004: error('Unsupported schemaVersion'),
  DY2005: error('Expression does not parse'),
  DY2006: error('List too long'),

  // Ids and references.
  DY3001: error('Duplicate id'),
  DY3002: error('Unknown target'),
  DY3003: error('Unknown scenario'),
  DY3004: error('Unknown drill'),
  DY3005: error('Unknown package'),
  DY3006: error('Unknown operation'),
  DY3007: error('Unknown event'),
  DY3008: error('Unknown fault'),
  DY3009: error('Unknown namespace'),
  DY3010: error('Unknown actor'),
  DY3011: error('Unknown callback'),
  DY3012: error('Unknown instance'),
  DY3013: warning('Tag of no drill'),
  DY3014: error('File of a target or judge not found'),
  DY3015: error('Unknown interaction'),
  DY3016: error('Unknown name in an expression'),
  DY3017: error('Request that cannot be made'),
  DY3018: warning('Agent on another machine'),
  DY3019: warning('Variable of a binding that is not there'),
  DY3020: error('Unknown member'),
  DY3021: warning('Member that is not declared'),
  DY3022: error('Unknown value of a case'),
  DY3023: warning('Value of a case that nothing uses'),
  DY3024: warning('Placeholder without cases'),
  DY3025: error('Judge among the invariants'),
  DY3026: error('Unknown rate limit'),

  // Values.
  DY4001: error('Row breaks its schema'),
  DY4002: error('Payload breaks its schema'),
  DY4003: warning('Override value breaks the output schema'),
  DY4004: warning('Override error is not declared'),
  DY4005: warning('Nothing to delete'),
  DY4006: warning('Event before the start'),
  DY4007: warning('Value that never is'),
  DY4008: error('Placeholder that cannot be filled'),
  DY4009: error('Value too large'),

  // Tool packages and manifests.
  DY5001: error('Tool package not found'),
  DY5002: error('Tool package is not described'),
  DY5003: error('Tool package is revoked'),
  DY5004: warning('Tool package is deprecated'),
  DY5005: error('Tool file missing or ambiguous'),
  DY5006: error('Version is not semantic'),
  DY5007: error('Engine not supported'),
  DY5008: error('Schema does not compile'),
  DY5009: error('Fault applies to nothing'),
  DY5010: error('Route template'),
  DY5011: error('Route errors'),
  DY5012: error('Not possible without a module'),
  DY5013: error('Reserved package id'),
  DY5014: warning('Unknown schema keyword'),
  DY5015: error('Reserved path'),
  DY5016: error('Route status'),
  DY5017: warning('Codec not found'),
  DY5018: warning('Header of an argument'),
  DY5019: error('Pattern not taken'),
  DY5020: error('Header of a callback'),
  DY5021: error('Handler not found'),
  DY5022: warning('Route of several packages'),
  DY5030: error('Name of a tool taken'),
  DY5031: error('GraphQL schema'),
  DY5032: error('Shape that is not adapted'),
  DY5033: warning('Member that is not read'),
  DY5034: error('Package differs from its pin'),
  DY5035: error('Pin of no package'),
  DY5036: error('Pages of other sites'),
  DY5037: warning('Output schema for MCP clients'),
  DY5038: warning('Conformance project not found'),

  // Behavior modules.
  DY6001: error('Module not found'),
  DY6002: error('Import refused'),
  DY6003: error('Module does not parse'),
  DY6004: error('Loading at run time refused'),
  DY6005: error('Asynchronous code refused'),
  DY6006: warning('Ambient name'),
  DY6007: error('No default export'),
  DY6008: error('Module file refused'),
  DY6009: error('Bundle too large'),
  DY6010: warning('Module warning'),
  DY6011: error('Type error'),
  DY6012: warning('Not in the manifest'),
  DY6013: error('Agent cannot be loaded'),
} as const satisfies { readonly [code: string]: DiagnosticRule };

export type DiagnosticCode = keyof typeof diagnosticTable;
