// What the JSON Schemas of authored files say beside the members of a shape: the rules of refinements.ts, and how long lists may be.
import type { JsonObject } from '../json.js';
import { caseFilePattern, listBounds } from '../run/list-bounds.js';
import { refinementSchemas } from './refinements.js';

const bounded = Object.entries(listBounds).map(([shape, lists]): [string, JsonObject] => {
  const properties = Object.entries(lists).map(([member, maxItems]) => [member, { maxItems }]);
  return [shape, { properties: Object.fromEntries(properties) }];
});
const caseFile: [string, JsonObject] = ['DrillCaseFile', { properties: { file: { pattern: caseFilePattern } } }];
const refined = Object.entries(refinementSchemas).flatMap(([shape, rules]) => rules.map((rule): [string, JsonObject] => [shape, rule]));

/** By shape, JSON Schemas that all hold. */
export const shapeRules: { readonly [shape: string]: readonly JsonObject[] } = byShape([...refined, ...bounded, caseFile]);

function byShape(all: readonly [string, JsonObject][]): { [shape: string]: JsonObject[] } {
  const rules: { [shape: string]: JsonObject[] } = {};
  for (const [shape, rule] of all) rules[shape] = [...(rules[shape] ?? []), rule];
  return rules;
}
