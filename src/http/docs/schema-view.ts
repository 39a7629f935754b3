// How the page shows a schema: a member a row, its type in words, its bounds beside it.
import type { JsonObject, JsonValue } from '../../contract/json.js';
import type { Content, Markup } from '../../text/markup.js';
import { html, prose } from './markup.js';

const object = (value: JsonValue | undefined): JsonObject => (value ?? {}) as JsonObject;
const list = (value: JsonValue | undefined): JsonValue[] => (value ?? []) as JsonValue[];

export function schemaSection(name: string, schema: JsonObject): Markup {
  return html`<section class="shape" id="shape-${name}"><h3><a href="#shape-${name}">${name}</a></h3>
${schema.description === undefined ? null : html`<p>${prose(String(schema.description))}</p>`}${schemaView(schema)}</section>`;
}

export function schemaView(schema: JsonObject): Content {
  if (schema.properties !== undefined) return membersTable(schema);
  return html`<p class="type">${typeWords(schema)}${bounds(schema)}</p>`;
}

function membersTable({ properties, required }: JsonObject): Markup {
  const needed = new Set(list(required));
  const rows = Object.entries(object(properties)).map(([name, schema]) => memberRow(name, object(schema), needed.has(name)));
  return html`<table class="members"><tbody>${rows}</tbody></table>`;
}

export function memberRow(name: string, schema: JsonObject, required: boolean): Markup {
  const note = schema.description === undefined ? null : html`<p>${prose(String(schema.description))}</p>`;
  return html`<tr><th scope="row"><code>${name}</code>${required ? null : html`<span class="optional">optional</span>`}</th>
<td><span class="type">${typeWords(schema)}</span>${bounds(schema)}${note}${schema.properties === undefined ? null : membersTable(schema)}${inside(schema)}</td></tr>`;
}

/** The members of the objects of a list or a choice that are written in place. */
function inside(schema: JsonObject): Content {
  const parts = [...(schema.items === undefined ? [] : [object(schema.items)]), ...list(schema.anyOf).map(object)];
  return parts.map((part) => (part.properties === undefined ? inside(part) : membersTable(part)));
}

function typeWords(schema: JsonObject): Content {
  if (typeof schema.$ref === 'string') return reference(schema.$ref);
  if ('const' in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined)
    return joined(
      list(schema.enum).map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ' | ',
    );
  if (schema.anyOf !== undefined)
    return joined(
      list(schema.anyOf).map((option) => typeWords(object(option))),
      ' or ',
    );
  if (schema.allOf !== undefined)
    return joined(
      list(schema.allOf).map((option) => typeWords(object(option))),
      ' with ',
    );
  if (schema.type === 'array') return html`list of ${typeWords(object(schema.items))}`;
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    return html`object of ${typeWords(object(schema.additionalProperties))}`;
  }
  return schema.type === undefined ? 'any JSON value' : String(schema.type);
}

export function reference(ref: string): Markup {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return html`<a href="#shape-${name}">${name}</a>`;
}

function joined(parts: Content[], between: string): Content {
  return parts.map((part, index) => (index === 0 ? part : [between, part]));
}

function bounds({ minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, format }: JsonObject): Content {
  const bounds = [range('', minimum, maximum), range(' characters', minLength, maxLength), range(' items', minItems, maxItems)].filter(
    (text) => text !== '',
  );
  return [
    bounds.map((text) => html` <span class="bound">${text}</span>`),
    format === undefined ? null : html` <span class="bound">${String(format)}</span>`,
    pattern === undefined ? null : html` <code class="bound">${String(pattern)}</code>`,
  ];
}

function range(unit: string, least: JsonValue | undefined, most: JsonValue | undefined): string {
  if (least === undefined && most === undefined) return '';
  if (most === undefined || most === Number.MAX_SAFE_INTEGER) return `≥ ${least}${unit}`;
  return least === undefined || least === Number.MIN_SAFE_INTEGER ? `≤ ${most}${unit}` : `${least} – ${most}${unit}`;
}
