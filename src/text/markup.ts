// HTML as text, safe by construction: everything put into a template is escaped, unless it came from a template itself.

export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
export type Content = string | number | Markup | null | undefined | readonly Content[];
/** html`<b>${anything}</b>`: for element content and for attribute values in double quotes. */
export type HtmlTemplate = (strings: TemplateStringsArray, ...contents: Content[]) => Markup;

/** `shown`: what becomes of text before it is escaped. */
export function htmlTemplate(shown: (text: string) => string = (text) => text): HtmlTemplate {
  const contentText = (content: Content): string => {
    if (content === null || content === undefined) return '';
    if (content instanceof Markup) return content.text;
    if (typeof content === 'object') return content.map(contentText).join('');
    return shown(String(content)).replace(/[&<>"']/g, (char) => entities[char] ?? char);
  };
  return (strings, ...contents) => {
    let text = strings[0] ?? '';
    for (let index = 0; index < contents.length; index++) text += contentText(contents[index]) + (strings[index + 1] ?? '');
    return new Markup(text);
  };
}

const entities: { [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
