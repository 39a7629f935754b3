// What a manifest declares and its behavior lacks. The module is not run: of object literals it is known (behavior-outline.ts), of anything
// else a codec is looked for in the text, and a world that loads the tool has the last word.
import type { ToolManifest } from '../contract/world/tool-manifest.js';
import { nearest } from '../text/nearest.js';
import { type BehaviorOutline, behaviorOutline, type HandlerGroup, handlerGroups } from './behavior-outline.js';
import type { ManifestFinding } from './manifest-finding.js';

export function handlerFindings(manifest: ToolManifest, code: string): ManifestFinding[] {
  const outline = behaviorOutline(code);
  return handlerGroups.flatMap((group) =>
    manifest[group].flatMap(({ id }, index) => {
      const path = `/${group}/${index}/id`;
      const known = outline[group];
      if (known !== undefined) return known.has(id) ? [] : [missing(manifest, { group, id, path, outline })];
      // A codec without its id in the text can only be made by code that makes up names.
      if ((group !== 'http' && group !== 'callbacks') || code.includes(id)) return [];
      return [{ code: 'DY5017' as const, path, message: `the module never names '${id}', so it has no codec for it` }];
    }),
  );
}

interface Missing {
  group: HandlerGroup;
  id: string;
  path: string;
  outline: BehaviorOutline;
}

function missing(manifest: ToolManifest, { group, id, path, outline }: Missing): ManifestFinding {
  const declared = new Set(manifest[group].map((item) => item.id));
  const spare = [...(outline[group] ?? [])].filter((name) => !declared.has(name));
  const near = nearest(id, spare);
  return {
    code: 'DY5021',
    path,
    message: `the behavior has no ${handlerWord(group)} for '${id}'`,
    suggestion:
      near === undefined
        ? `Add '${id}' to ${group} of its default export.`
        : `It has '${near}' in ${group}, which the manifest does not declare. Did you mean '${id}' there?`,
  };
}

function handlerWord(group: HandlerGroup): string {
  return group === 'operations' || group === 'subscriptions' ? 'handler' : 'codec';
}
