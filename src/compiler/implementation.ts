// The captured source of tools: what was bundled, byte for byte, under ids that say nothing. Budgets are those of
// section 8.
import { sha256Digest } from '../contract/digest.js';
import { limits } from '../contract/limits.js';
import type { ImplementationFile, ImplementationSource, ToolView } from '../contract/run/project-view.js';
import type { CompiledSource } from './tool-compile.js';

export interface CapturedImplementation {
  byTool: Map<CompiledSource, ToolView['implementation']>;
  sources: Map<string, ImplementationSource>;
}

export function captureImplementations(tools: readonly CompiledSource[], buildHash: string): CapturedImplementation {
  const byTool: CapturedImplementation['byTool'] = new Map();
  const sources: CapturedImplementation['sources'] = new Map();
  let bytesLeft = limits.sourceSnapshotBytesMax;
  for (const tool of tools) {
    const { packageId: toolId, artifactHash } = tool.compiled;
    const files: ImplementationFile[] = [];
    const unavailable = tool.refused.map(({ path, reason, message }) => ({ displayPath: path, reason, message }));
    for (const { path: displayPath, role, text, bytes } of tool.files) {
      if (bytes > limits.sourceFileBytesMax) {
        unavailable.push({ displayPath, reason: 'file_too_large', message: `is larger than ${limits.sourceFileBytesMax} bytes` });
      } else if (bytes > bytesLeft) {
        unavailable.push({
          displayPath,
          reason: 'budget_exceeded',
          message: `the sources of all tools exceed ${limits.sourceSnapshotBytesMax} bytes`,
        });
      } else {
        bytesLeft -= bytes;
        const fileId = `src_${sha256Digest(`${toolId}\n${displayPath}`).slice('sha256:'.length, 'sha256:'.length + 24)}`;
        files.push({ fileId, role, displayPath, mediaType: mediaTypeOf(displayPath), bytes });
        sources.set(fileId, { fileId, toolId, role, displayPath, content: text, contentHash: sha256Digest(text), buildHash, artifactHash });
      }
    }
    byTool.set(tool, { files, unavailable });
  }
  return { byTool, sources };
}

function mediaTypeOf(path: string): string {
  if (path.endsWith('.json')) return 'application/json';
  return /\.[mc]?ts$/.test(path) ? 'text/x-typescript' : 'text/javascript';
}
