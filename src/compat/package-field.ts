// The field of a package.json that describes a package. There the conformance project is named by its root file.
import { isJsonObject, type JsonValue } from '../contract/json.js';
import type { ReadShape } from '../contract/run/dialect.js';
import { present, ShapeReader } from './members.js';

export function readPackageField(field: JsonValue): ReadShape {
  const reader = new ShapeReader();
  if (!isJsonObject(field)) return reader.done(field);
  const { conformance, schemaVersion = 1, ...rest } = field;
  if (schemaVersion !== 1) reader.refuse('/schemaVersion', `version ${JSON.stringify(schemaVersion)} of the field`, 'the package.json');
  const described = present({ lifecycle: 'active', ...rest, conformance });
  if (!isJsonObject(conformance) || typeof conformance.project !== 'string') return reader.done(described);
  const file = /^(?:(.*)\/)?([^/]+\.(?:json|yaml|yml))$/.exec(conformance.project);
  if (file === null) return reader.done(described);
  const [, folder = '.', config = ''] = file;
  return reader.done({ ...described, conformance: { ...conformance, project: folder, config } });
}
