// What a schema refuses of the arguments, in Zendesk's words; arguments have the names that they have on the wire.
import type { JsonValue } from 'drillyard/tool-sdk';

interface Issue {
  readonly path: string;
  /** The keyword of the schema. */
  readonly code: string;
  readonly message: string;
}
const names: { readonly [argument: string]: string } = {
  limit: 'page',
  offset: 'page',
  numbers: 'ids',
  text: 'query',
  addTags: 'tags',
  assigneeNumber: 'assignee',
  groupNumber: 'group',
  requesterNumber: 'requester',
  authorNumber: 'author',
  number: 'id',
  ticketId: 'id',
  changedFromUs: 'start_time',
  sortBy: 'sort_by',
  order: 'sort_order',
};

/** `message` where the details are not those of a schema; `inQuery`: of a request that only asks. */
export function argumentWords(details: JsonValue | undefined, message: string, inQuery: boolean): string {
  const [issue] = ((details ?? {}) as { readonly issues?: readonly Issue[] }).issues ?? [];
  if (issue === undefined) return message;
  const parts = issue.path.split('/').slice(1);
  const missing = issue.code === 'required' ? [/'(.*)'/.exec(issue.message)?.[1] ?? ''] : [];
  const last = [...parts, ...missing].filter((part) => !/^\d+$/.test(part)).at(-1) ?? 'base';
  const name = names[last] ?? last;
  const rule = ruleOf(issue);
  if (inQuery) return `You passed an invalid value for the ${name} attribute. Invalid parameter: ${name} ${rule}`;
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}: ${rule}`;
}

function ruleOf({ code, message }: Issue): string {
  const bound = /-?\d+/.exec(message)?.[0] ?? '';
  switch (code) {
    case 'required':
      return 'cannot be blank';
    case 'type': {
      const [type] = /(?:string|integer|number|boolean|array|object)/.exec(message) ?? ['value'];
      return `must be ${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
    }
    case 'enum':
    case 'const':
      return 'is not included in the list';
    case 'maxLength':
      return `is too long (maximum is ${bound} characters)`;
    case 'minLength':
      return bound === '1' ? 'cannot be blank' : `is too short (minimum is ${bound} characters)`;
    case 'minimum':
      return `must be greater than or equal to ${bound}`;
    case 'maximum':
      return `must be less than or equal to ${bound}`;
    default:
      return 'is invalid';
  }
}
