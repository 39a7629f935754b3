// One endpoint on the page: what it is for and takes on the left, what is sent and answered on the right.
import { defined } from '../../contract/defined.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import type { Content, Markup } from '../../text/markup.js';
import { html, prose } from './markup.js';
import { memberRow, reference, schemaView } from './schema-view.js';

export interface DocumentedOperation {
  method: string;
  path: string;
  operation: JsonObject;
  /** What a `$ref` of the document stands for. */
  resolve(ref: string): JsonObject;
}
const object = (value: JsonValue | undefined): JsonObject => (value ?? {}) as JsonObject;
const list = (value: JsonValue | undefined): JsonValue[] => (value ?? []) as JsonValue[];

export function operationSection({ method, path, operation, resolve }: DocumentedOperation): Markup {
  const id = String(operation.operationId);
  return html`<section class="operation" id="${id}">
<header><h3><a href="#${id}">${String(operation.summary)}</a></h3>
<p class="line"><span class="method ${method}">${method}</span><code class="path">${pathView(path)}</code></p></header>
<div class="columns"><div class="facts">
<p>${prose(String(operation.description ?? ''))}</p>
${parametersView(operation, resolve)}${bodyView(operation, resolve)}${refusalsView(operation, resolve)}
</div><div class="shown">${requestExample(method, path, operation)}${replyExample(operation)}</div></div></section>`;
}

function pathView(path: string): Content {
  return path.split(/(\{\w+\})/).map((part) => (part.startsWith('{') ? html`<var>${part}</var>` : part));
}

function parametersView({ parameters }: JsonObject, resolve: DocumentedOperation['resolve']): Content {
  const all = list(parameters).map((parameter) => {
    const given = object(parameter);
    return typeof given.$ref === 'string' ? resolve(given.$ref) : given;
  });
  return ['path', 'query', 'header'].map((place) => {
    const rows = all
      .filter((parameter) => parameter.in === place)
      .map((parameter) =>
        memberRow(String(parameter.name), { ...object(parameter.schema), ...described(parameter) }, parameter.required === true),
      );
    return rows.length === 0 ? null : html`<h4>${headings[place]}</h4><table class="members"><tbody>${rows}</tbody></table>`;
  });
}
const headings: { readonly [place: string]: string } = { path: 'Path', query: 'Query', header: 'Headers' };
const described = ({ description }: JsonObject): JsonObject => defined({ description });

function bodyView({ requestBody }: JsonObject, resolve: DocumentedOperation['resolve']): Content {
  if (requestBody === undefined) return null;
  const [type, content] = Object.entries(object(object(requestBody).content))[0] ?? ['', {}];
  const { $ref } = object(object(content as JsonValue).schema);
  const optional = object(requestBody).required === false ? html` <span class="optional">optional</span>` : null;
  if (typeof $ref !== 'string') return html`<h4>Body</h4><p><code>${type}</code>${optional}</p>`;
  const schema = resolve($ref);
  return html`<h4>Body ${reference($ref)}</h4>${optional}${schema.properties === undefined ? null : schemaView(schema)}`;
}

/** Statuses of refusals with their codes. */
function refusalsView({ responses }: JsonObject, resolve: DocumentedOperation['resolve']): Content {
  const rows = Object.entries(object(responses))
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => {
      const { $ref, description } = object(response);
      const words = typeof $ref === 'string' ? resolve($ref).description : description;
      return html`<tr><th scope="row">${status}</th><td>${prose(String(words))}</td></tr>`;
    });
  return rows.length === 0
    ? null
    : html`<details><summary>Refusals</summary><table class="refusals"><tbody>${rows}</tbody></table></details>`;
}

function requestExample(method: string, path: string, { requestBody, parameters, security }: JsonObject): Content {
  const content = object(object(requestBody).content);
  const example = object(content['application/json']).example;
  const keyed = list(parameters).some((parameter) => object(parameter).$ref !== undefined);
  const lines = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$DRILLYARD_URL${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name}`)}"`,
    ...(Array.isArray(security) && security.length === 0 ? [] : ['  -H "Authorization: Bearer $DRILLYARD_CREDENTIAL"']),
    ...(keyed ? ['  -H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(content['application/octet-stream'] === undefined
      ? []
      : ['  -H "Content-Type: application/octet-stream"', '  --data-binary @file']),
    ...(example === undefined
      ? []
      : [
          '  -H "Content-Type: application/json"',
          `  -d '${JSON.stringify(example, null, 2).replaceAll('\n', '\n  ').replaceAll("'", "'\\''")}'`,
        ]),
  ];
  return html`<h4>Request</h4><pre tabindex="0">${lines.join(' \\\n')}</pre>`;
}

function replyExample({ responses }: JsonObject): Content {
  const fine = Object.entries(object(responses)).filter(([status]) => Number(status) < 300);
  const [status, response] = fine.sort(([left], [right]) => Number(right) - Number(left))[0] ?? ['200', {}];
  const [type, content] = Object.entries(object(object(response as JsonValue).content))[0] ?? ['', {}];
  const { schema, example } = object(content as JsonValue);
  const ref = object(schema).$ref;
  const shape = typeof ref === 'string' ? reference(ref) : html`<code>${type}</code>`;
  const shown = example === undefined ? null : html`<pre tabindex="0">${JSON.stringify(example, null, 2)}</pre>`;
  return html`<h4>Reply <span class="status">${status}</span> ${shape}</h4>${shown}`;
}
