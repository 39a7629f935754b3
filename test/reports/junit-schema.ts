import assert from 'node:assert/strict';
import type { XmlNode } from './xml-reader.js';

/** The junit-10 schema as CI systems check it: by element the attributes it may have (required ones first), and its children. */
const schema: { [element: string]: { required: string[]; optional: string[]; children: string[] } } = {
  testsuites: { required: [], optional: ['name', 'time', 'tests', 'failures', 'disabled', 'errors'], children: ['testsuite'] },
  testsuite: {
    required: ['name', 'tests'],
    optional: ['failures', 'errors', 'time', 'disabled', 'skipped', 'timestamp', 'hostname', 'id', 'package'],
    children: ['properties', 'testcase', 'system-out', 'system-err'],
  },
  properties: { required: [], optional: [], children: ['property'] },
  property: { required: ['name', 'value'], optional: [], children: [] },
  testcase: {
    required: ['name'],
    optional: ['assertions', 'time', 'classname', 'status'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  failure: { required: [], optional: ['type', 'message'], children: [] },
  error: { required: [], optional: ['type', 'message'], children: [] },
  skipped: { required: [], optional: ['type', 'message'], children: [] },
  'system-out': { required: [], optional: [], children: [] },
};

export function checkJunit(node: XmlNode): void {
  const rule = schema[node.name];
  assert.ok(rule, `the element ${node.name}`);
  const names = Object.keys(node.attributes);
  for (const name of rule.required) assert.ok(names.includes(name), `${node.name} needs ${name}`);
  for (const name of names) assert.ok([...rule.required, ...rule.optional].includes(name), `${node.name} has ${name}`);
  for (const name of ['tests', 'failures', 'errors', 'skipped'])
    if (name in node.attributes) assert.match(node.attributes[name] ?? '', /^\d+$/);
  if ('time' in node.attributes) assert.match(node.attributes.time ?? '', /^\d+(\.\d+)?$/);
  for (const child of node.children) {
    assert.ok(rule.children.includes(child.name), `${node.name} holds ${child.name}`);
    checkJunit(child);
  }
}
