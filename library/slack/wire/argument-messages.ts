// What a schema refuses of the arguments, in the words of the API: one message an issue, with the place as a JSON pointer.
import type { JsonValue } from 'drillyard/tool-sdk';

interface Issue {
  readonly path: string;
  /** The keyword of the schema. */
  readonly code: string;
  readonly message: string;
}

/** `message` where the details are not those of a schema. */
export function argumentMessages(details: JsonValue | undefined, message: string): string[] {
  const { issues = [] } = (details ?? {}) as { readonly issues?: readonly Issue[] };
  return issues.length === 0 ? [`[ERROR] ${message}`] : issues.map((issue) => `[ERROR] ${wordsOf(issue)}`);
}

function wordsOf({ path, code, message }: Issue): string {
  if (code === 'required') {
    const place = path === '' ? '' : ` [json-pointer:${path}]`;
    return `missing required field: ${/'(.*)'/.exec(message)?.[1]}${place}`;
  }
  return `${ruleOf(code, message)} [json-pointer:${path}]`;
}

function ruleOf(code: string, message: string): string {
  const bound = Number(/-?\d+/.exec(message)?.[0] ?? 0);
  switch (code) {
    case 'type': {
      const [type] = /(?:string|integer|number|boolean|array|object)/.exec(message) ?? ['value'];
      return `must provide ${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
    }
    case 'enum':
    case 'const':
      return 'must be a valid enum value';
    case 'maxLength':
      return `must be less than ${bound + 1} characters`;
    case 'minLength':
      return `must be more than ${bound - 1} characters`;
    case 'maxItems':
      return `no more than ${bound} items allowed`;
    case 'minItems':
      return `no less than ${bound} items allowed`;
    case 'maximum':
      return `must be less than or equal to ${bound}`;
    case 'minimum':
      return `must be greater than or equal to ${bound}`;
    case 'additionalProperties':
      return 'unsupported argument';
    default:
      return 'invalid value';
  }
}
