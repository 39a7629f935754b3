// What a manifest tells clients of MCP and they would not take.
import { headerParamsOf } from '../contract/world/mcp-header-params.js';
import type { ToolManifest } from '../contract/world/tool-manifest.js';
import type { ManifestFinding } from './manifest-finding.js';

export function mcpFindings({ operations }: ToolManifest): ManifestFinding[] {
  return operations.flatMap(({ inputSchema }, index) =>
    headerParamsOf(inputSchema).faults.map(({ path, message }) => ({
      code: 'DY5018' as const,
      path: `/operations/${index}/inputSchema${path}`,
      message: `${message}; MCP clients leave out the tool`,
    })),
  );
}
