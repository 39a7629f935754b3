// The page at /docs: the OpenAPI document for people. One file that loads nothing and runs nothing; its policy says so.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { type Content, Markup } from '../../text/markup.js';
import { openApiDocument } from '../openapi/document.js';
import { once } from '../unchanging.js';
import { html, prose } from './markup.js';
import { type DocumentedOperation, operationSection } from './operation-view.js';
import { schemaSection } from './schema-view.js';

interface DocsPage {
  html: string;
  /** The value of Content-Security-Policy. */
  policy: string;
}

export const docsPage = once(() => makePage(openApiDocument()));

const object = (value: JsonValue | undefined): JsonObject => (value ?? {}) as JsonObject;

function makePage(document: JsonObject): DocsPage {
  const style = readFileSync(new URL('./page.css', import.meta.url), 'utf8');
  const policy = [
    `default-src 'none'`,
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ];
  // A style sheet is no text to escape; ours has no `<`.
  const info = object(document.info);
  const areas = areasOf(document);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${String(info.title)}</title><style>${new Markup(style)}</style></head>
<body><a class="skip" href="#main">Skip to the endpoints</a>
<nav aria-label="Endpoints"><p class="brand"><a href="#main">Drillyard</a><span>API ${String(info.version)}</span></p>${areas.map(areaLinks)}<p class="area"><a href="#shapes">Shapes</a></p></nav>
<main id="main"><header class="intro"><h1>${String(info.title)}</h1><p class="lead">${String(info.summary)}</p>${introduction(String(info.description))}
<p class="machine">For programs: <a href="/v1/openapi.json">/v1/openapi.json</a>, OpenAPI ${String(document.openapi)}.</p></header>
${areas.map(areaSection)}
<section class="area" id="shapes"><h2>Shapes</h2>${Object.entries(object(object(document.components).schemas)).map(([name, schema]) => schemaSection(name, object(schema)))}</section>
</main></body></html>
`;
  return { html: page.text, policy: policy.join('; ') };
}

interface Area {
  name: string;
  description: string;
  operations: DocumentedOperation[];
}

function areasOf({ paths, tags, components }: JsonObject): Area[] {
  const resolve = (ref: string): JsonObject => {
    const [kind, name] = ref.split('/').slice(-2) as [string, string];
    return object(object(object(components)[kind])[name]);
  };
  const all = Object.entries(object(paths)).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, operation]) => ({ method, path, operation: object(operation), resolve })),
  );
  return (tags as JsonObject[]).map(({ name, description }) => ({
    name: String(name),
    description: String(description),
    operations: all.filter(({ operation }) => (operation.tags as string[])[0] === name),
  }));
}

const anchorOf = (area: string): string => `area-${area.replaceAll(' ', '-')}`;

function areaLinks({ name, operations }: Area): Markup {
  const links = operations.map(({ method, operation }) => {
    return html`<li><a href="#${String(operation.operationId)}"><span class="method ${method}">${short[method] ?? method}</span>${String(operation.operationId)}</a></li>`;
  });
  return html`<details><summary>${name}</summary><ul>${links}</ul></details>`;
}
const short: { readonly [method: string]: string } = { delete: 'del' };

function areaSection({ name, description, operations }: Area): Markup {
  return html`<section class="area" id="${anchorOf(name)}"><header class="area-head"><h2>${name}</h2><p>${description}</p></header>${operations.map(operationSection)}</section>`;
}

function introduction(text: string): Content {
  return text.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`);
}
