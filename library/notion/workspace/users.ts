// People and bots of the workspace.
import { notFound, uuid } from './failures.js';
import type { Context, Json, User } from './model.js';
import { authorOf, listed, type PageInput, pageOf, rowsWhere, workspaceOf } from './rows.js';

const uploadBytesMax = 5_242_880;

export function retrieveSelf(_: unknown, context: Context): Json {
  const id = authorOf(context);
  return userAt(context, id) ?? notFound('user', id);
}

export function retrieveUser({ user_id }: { readonly user_id: string }, context: Context): Json {
  const id = uuid(user_id, 'path.user_id');
  return userAt(context, id) ?? notFound('user', id);
}

export function listUsers(input: PageInput, context: Context): Json {
  const page = pageOf(
    rowsWhere(context, 'users', () => true),
    input,
    ({ id }) => id,
  );
  return listed('user', { ...page, items: page.items.map((user) => shownUser(context, user)) });
}

/** A user as the API shows it; the bot of a world that lists no users is there all the same. */
export function userAt(context: Context, id: string): Json | undefined {
  const user = context.state.get('users', id);
  if (user !== undefined) return shownUser(context, user);
  const { bot_id } = workspaceOf(context);
  return id === bot_id ? shownUser(context, { id, type: 'bot', name: 'Integration', avatar_url: null, email: null }) : undefined;
}

function shownUser(context: Context, { id, type, name, avatar_url, email }: User): Json {
  const shared = { object: 'user', id, name, avatar_url, type };
  if (type === 'person') return { ...shared, person: email === null ? {} : { email } };
  const workspace = workspaceOf(context);
  if (id !== workspace.bot_id) return { ...shared, bot: {} };
  const bot = {
    owner: { type: 'workspace', workspace: true },
    workspace_id: workspace.id,
    workspace_name: workspace.name,
    workspace_limits: { max_file_upload_size_in_bytes: uploadBytesMax },
  };
  return { ...shared, bot };
}
