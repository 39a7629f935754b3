// A strict reader of XML 1.0 as far as our writers use it: it throws at whatever is not well formed.

export interface XmlNode {
  name: string;
  attributes: { [name: string]: string };
  children: XmlNode[];
  text: string;
}

const entities: { [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const tag = /<(\/?)([A-Za-z_][\w.-]*)((?:\s+[A-Za-z_][\w.-]*="[^"<]*")*)\s*(\/?)>/y;

export function readXml(document: string): XmlNode {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!document.startsWith(declaration)) throw new Error('no declaration');
  for (const char of document)
    if (!isXmlChar(char.codePointAt(0) ?? 0)) throw new Error(`U+${char.codePointAt(0)?.toString(16)} is no character of XML 1.0`);
  const root: XmlNode = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  let at = declaration.length;
  while (at < document.length) {
    const current = open[open.length - 1] as XmlNode;
    const next = document.indexOf('<', at);
    const end = next < 0 ? document.length : next;
    current.text += decode(document.slice(at, end));
    if (next < 0) break;
    tag.lastIndex = next;
    const match = tag.exec(document);
    if (match === null) throw new Error(`no tag at ${document.slice(next, next + 60)}`);
    const [whole, closing, name = '', attributes = '', empty] = match;
    if (closing !== '') {
      if (current.name !== name) throw new Error(`</${name}> ends <${current.name}>`);
      open.pop();
    } else {
      const node = { name, attributes: readAttributes(attributes), children: [], text: '' };
      current.children.push(node);
      if (empty === '') open.push(node);
    }
    at = next + whole.length;
  }
  const [only] = root.children;
  if (open.length !== 1 || root.children.length !== 1 || only === undefined || root.text.trim() !== '')
    throw new Error('not one root element');
  return only;
}

function readAttributes(text: string): XmlNode['attributes'] {
  const attributes: XmlNode['attributes'] = {};
  for (const [, name = '', value = ''] of text.matchAll(/([A-Za-z_][\w.-]*)="([^"]*)"/g)) {
    if (name in attributes) throw new Error(`the attribute ${name} twice`);
    attributes[name] = decode(value);
  }
  return attributes;
}

function decode(text: string): string {
  if (/]]>/.test(text)) throw new Error(']]> in text');
  return text.replace(/&([^;]*)(;?)/g, (whole, name: string, end: string) => {
    const char = name.startsWith('#') ? String.fromCodePoint(Number(name.slice(1))) : entities[name];
    if (end === '' || char === undefined) throw new Error(`the reference ${whole}`);
    return char;
  });
}

function isXmlChar(code: number): boolean {
  return (
    code === 9 || code === 10 || code === 13 || (code >= 0x20 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd) || code >= 0x10000
  );
}
