// What a manifest tells clients of MCP and they would not take.
import { headerParamsOf } from '../contract/world/mcp-header-params.js';
import type { ToolManifest } from '../contract/world/tool-manifest.js';
import type { ManifestFinding } from './manifest-finding.js';

export function mcpFindings(manifest: ToolManifest): ManifestFinding[] {
  return [...headerFindings(manifest), ...nameFindings(manifest)];
}

/** Of two tools with one name for models, one would have to be called something that nobody wrote. */
function nameFindings({ id: packageId, operations }: ToolManifest): ManifestFinding[] {
  const named = new Map<string, string>();
  return operations.flatMap(({ id, mcp }, index): ManifestFinding[] => {
    const name = (mcp?.name ?? `${packageId}.${id}`).replaceAll('.', '_');
    const other = named.get(name);
    named.set(name, other ?? id);
    if (other === undefined || other === id) return [];
    return [
      {
        code: 'DY5030',
        path: `/operations/${index}/${mcp?.name === undefined ? 'id' : 'mcp/name'}`,
        message: `models would know '${id}' and '${other}' by one name, '${name}': theirs have no dots`,
        suggestion: 'Give one of them another name in mcp.name.',
      },
    ];
  });
}

function headerFindings({ operations }: ToolManifest): ManifestFinding[] {
  return operations.flatMap(({ inputSchema }, index) =>
    headerParamsOf(inputSchema).faults.map(({ path, message }) => ({
      code: 'DY5018' as const,
      path: `/operations/${index}/inputSchema${path}`,
      message: `${message}; MCP clients leave out the tool`,
    })),
  );
}
