// The workspace's rows and events as types. notion.tool.yaml is what is enforced; this is the same for the eye and the compiler.
import type { JsonValue, ScanOptions, ToolContext } from 'drillyard/tool-sdk';

export type Json = JsonValue;
export type Members = { readonly [name: string]: Json };

/** Where something lies, as the API shows it but for the database of a data source. */
export type Parent =
  | { type: 'workspace'; workspace: true }
  | { type: 'page_id'; page_id: string }
  | { type: 'block_id'; block_id: string }
  | { type: 'database_id'; database_id: string }
  | { type: 'data_source_id'; data_source_id: string };

/** What search still shows of something that was changed: until `until_us` its earlier title, or nothing where that is null. */
export interface Unseen {
  until_us: number;
  title: string | null;
}
interface Made {
  id: string;
  in_trash: boolean;
  /** Of the scheduled end of its time in the trash; '' where there is none. */
  purge: string;
  created_us: number;
  created_by: string;
  edited_us: number;
  edited_by: string;
}
export interface PageRow extends Made {
  parent: Parent;
  /** By id of the property: what the API shows below the name of its type, but ids of options, people and pages alone. */
  values: { readonly [propertyId: string]: Json };
  icon: Json;
  cover: Json;
  is_locked: boolean;
  is_template: boolean;
  /** Ids of what lies on it, in order: blocks, pages and databases. */
  content: readonly string[];
  unseen: readonly Unseen[];
}
export interface BlockRow extends Made {
  parent: Parent;
  type: string;
  value: Members;
  content: readonly string[];
}
export interface DatabaseRow extends Made {
  parent: Parent;
  title: readonly Json[];
  description: readonly Json[];
  icon: Json;
  cover: Json;
  is_inline: boolean;
  is_locked: boolean;
  data_sources: readonly string[];
}
export interface PropertyRow {
  id: string;
  name: string;
  type: string;
  description: string | null;
  config: Members;
}
export interface DataSourceRow extends Made {
  database_id: string;
  title: readonly Json[];
  description: readonly Json[];
  icon: Json;
  properties: readonly PropertyRow[];
  next_number: number;
  default_template: string | null;
  unseen: readonly Unseen[];
}
export interface CommentRow {
  id: string;
  parent: Parent;
  discussion_id: string;
  rich_text: readonly Json[];
  display_name: Members;
  created_us: number;
  created_by: string;
}
export interface UserRow {
  id: string;
  type: 'person' | 'bot';
  name: string;
  avatar_url: string | null;
  email: string | null;
}
export interface WorkspaceRow {
  id: string;
  name: string;
  bot_id: string;
}
/** What a scenario makes worse: how far search lags, and after how many children an append stops. */
export interface ConditionRow {
  lag_us?: number;
  after_children?: number;
  times?: number;
}

export interface Change {
  id: string;
  by: string;
  parent: Parent;
}
export interface Rows {
  pages: PageRow;
  blocks: BlockRow;
  databases: DatabaseRow;
  data_sources: DataSourceRow;
  comments: CommentRow;
  users: UserRow;
  workspace: WorkspaceRow;
  conditions: ConditionRow;
}
/** What rows are is said apart: `Frozen` of a value that may hold any JSON has no end for the compiler. */
export interface NotionTypes {
  events: {
    'page.created': Change;
    'page.content_updated': Change & { blocks: string[] };
    'page.properties_updated': Change & { properties: string[] };
    'page.moved': Change;
    'page.locked': Change;
    'page.unlocked': Change;
    'page.deleted': Change;
    'page.undeleted': Change;
    'database.created': Change;
    'database.moved': Change;
    'database.deleted': Change;
    'database.undeleted': Change;
    'data_source.created': Change;
    'data_source.content_updated': Change & { pages: string[] };
    'data_source.schema_updated': Change & { properties: { id: string; name: string; action: string }[] };
    'data_source.moved': Change;
    'data_source.deleted': Change;
    'data_source.undeleted': Change;
    'comment.created': Change & { page_id: string };
    'template.apply-due': { page_id: string; template_id: string; by: string };
    'trash.purge-due': { id: string };
    'trash.purged': { id: string; object: string };
  };
}
export interface State {
  get<N extends keyof Rows>(namespace: N, rowId: string): Rows[N] | undefined;
  scan<N extends keyof Rows>(namespace: N, options?: ScanOptions): readonly { readonly rowId: string; readonly value: Rows[N] }[];
  put<N extends keyof Rows>(namespace: N, rowId: string, value: Rows[N]): void;
  delete(namespace: keyof Rows, rowId: string): boolean;
}
export type Context = Omit<ToolContext<NotionTypes>, 'state'> & { readonly state: State };
export type Page = Readonly<PageRow>;
export type Block = Readonly<BlockRow>;
export type Database = Readonly<DatabaseRow>;
export type DataSource = Readonly<DataSourceRow>;
export type Property = Readonly<PropertyRow>;
export type Comment = Readonly<CommentRow>;
export type User = Readonly<UserRow>;

export const secondUs = 1_000_000;
export const minuteUs = 60 * secondUs;
export const dayUs = 86_400 * secondUs;
