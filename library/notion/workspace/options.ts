// Options of select, multi_select and status: the list in the schema, and finding or adding one by what a value says.
import { invalid, list, members, oneOf, text, unfit } from './failures.js';
import type { Context, Json, Members } from './model.js';
import { colors } from './rich-text.js';
import { newId } from './rows.js';

export interface Option {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
}
export const optionsOf = (config: Members): readonly Option[] => (config.options ?? []) as unknown as readonly Option[];

/** The options that a schema lists; one that was there under the same id or name keeps its id, and its color unless another is said. */
export function listedOptions(
  context: Context,
  value: Json | undefined,
  { path, known }: { path: string; known: readonly Option[] },
): Option[] {
  const taken = new Set<string>();
  return list(value ?? [], path).map((item, index) => {
    const at = `${path}[${index}]`;
    const given = members(item, at);
    const earlier = known.find(({ id, name }) => (given.id === undefined ? name === given.name : id === given.id));
    if (given.id !== undefined && earlier === undefined) return invalid(`${at}.id does not match an option that exists.`);
    const name = given.name === undefined ? (earlier?.name ?? text(given.name, `${at}.name`)) : optionName(given.name, `${at}.name`);
    if (taken.has(name)) return invalid(`Cannot have two options with the same name ${name}.`);
    taken.add(name);
    const color = given.color === undefined ? (earlier?.color ?? nextColor(index)) : oneOf(given.color, `${at}.color`, colors);
    return {
      id: earlier?.id ?? newId(context),
      name,
      color,
      description: (given.description ?? earlier?.description ?? null) as string | null,
    };
  });
}

export function optionName(value: Json | undefined, path: string): string {
  const name = text(value, path, 100);
  if (name === '') return unfit(`${path}.length`, '≥ `1`', 0);
  return name.includes(',') ? invalid(`Invalid select option, commas not allowed: ${name}`) : name;
}

/** A color for an option that names none; Notion draws one, here they take turns. */
const nextColor = (index: number): string => colors[index % colors.length] as string;

export interface Chosen {
  readonly id: string;
  /** An option that the schema does not have yet. */
  readonly added?: Option;
}

/** The option that a value means. A name that nobody has makes a new one, where `grows`. */
export function chosenOption(
  context: Context,
  value: Members,
  { path, known, grows }: { path: string; known: readonly Option[]; grows: boolean },
): Chosen {
  if (value.id !== undefined) {
    const id = text(value.id, `${path}.id`);
    return known.some((option) => option.id === id) ? { id } : invalid(`${path}.id ${id} is not an option that exists.`);
  }
  const name = optionName(value.name, `${path}.name`);
  const found = known.find((option) => option.name === name);
  if (found !== undefined) return { id: found.id };
  if (!grows) return invalid(`Invalid status option. Status option "${name}" does not exist.`);
  const color = value.color === undefined ? nextColor(known.length) : oneOf(value.color, `${path}.color`, colors);
  const id = newId(context);
  return { id, added: { id, name, color, description: null } };
}

/** A status begins with three options, each in a group of its own. */
export function statusConfig(context: Context, given: Members, { path, known }: { path: string; known: Members | undefined }): Members {
  const start = [
    { name: 'Not started', color: 'default' },
    { name: 'In progress', color: 'blue' },
    { name: 'Done', color: 'green' },
  ];
  const wished = given.options ?? known?.options ?? start;
  const options = listedOptions(context, wished as Json, { path: `${path}.options`, known: known === undefined ? [] : optionsOf(known) });
  return { options: options as unknown as Json, groups: groupsOf(context, options, known) as unknown as Json };
}

interface Group {
  id: string;
  name: string;
  color: string;
  option_ids: readonly string[];
}

/** What was in a group stays there. A new option is to do, unless its name or place says that it is under way or complete. */
function groupsOf(context: Context, options: readonly Option[], known: Members | undefined): Group[] {
  const earlier = (known?.groups ?? []) as unknown as readonly Group[];
  const groups = ['To-do', 'In progress', 'Complete'].map((name, index) => {
    const group = earlier.find((one) => one.name === name);
    const color = ['gray', 'blue', 'green'][index] as string;
    return { id: group?.id ?? newId(context), name, color: group?.color ?? color, option_ids: group?.option_ids ?? [] };
  });
  const placed = new Set(groups.flatMap(({ option_ids }) => option_ids));
  const fresh = options.filter(({ id }) => !placed.has(id));
  const groupFor = (name: string): number => (/^(?:done|complete|completed)$/i.test(name) ? 2 : /progress|doing/i.test(name) ? 1 : 0);
  return groups.map((group, index) => ({
    ...group,
    option_ids: [
      ...group.option_ids.filter((id) => options.some((option) => option.id === id)),
      ...fresh.filter(({ name }) => groupFor(name) === index).map(({ id }) => id),
    ],
  }));
}
