// The workspace's behavior: which function answers which operation and which event.
import { defineToolBehavior } from 'drillyard/tool-sdk';
import { appendChildren, deleteBlock, listChildren, retrieveBlock, updateBlock } from './workspace/blocks.js';
import { createComment, listComments, retrieveComment } from './workspace/comments.js';
import { createDataSource, retrieveDataSource, updateDataSource } from './workspace/data-sources.js';
import { createDatabase, retrieveDatabase, updateDatabase } from './workspace/databases.js';
import type { NotionTypes } from './workspace/model.js';
import { retrieveMarkdown, updateMarkdown } from './workspace/page-markdown.js';
import { retrieveProperty } from './workspace/page-property.js';
import { createPage, movePage, retrievePage, updatePage } from './workspace/pages.js';
import { queryDataSource } from './workspace/query.js';
import { search } from './workspace/search.js';
import { applyTemplate, listTemplates } from './workspace/templates.js';
import { purge } from './workspace/trash.js';
import { listUsers, retrieveSelf, retrieveUser } from './workspace/users.js';
import { webhook } from './workspace/webhooks.js';
import { codecs, refuse } from './workspace/wire.js';

export default defineToolBehavior<NotionTypes>({
  operations: {
    'users.me': retrieveSelf,
    'users.list': listUsers,
    'users.retrieve': retrieveUser,
    search: search,
    'pages.create': createPage,
    'pages.retrieve': retrievePage,
    'pages.update': updatePage,
    'pages.move': movePage,
    'pages.properties.retrieve': retrieveProperty,
    'pages.retrieve_markdown': retrieveMarkdown,
    'pages.update_markdown': updateMarkdown,
    'blocks.retrieve': retrieveBlock,
    'blocks.update': updateBlock,
    'blocks.delete': deleteBlock,
    'blocks.children.list': listChildren,
    'blocks.children.append': appendChildren,
    'databases.create': createDatabase,
    'databases.retrieve': retrieveDatabase,
    'databases.update': updateDatabase,
    'data_sources.create': createDataSource,
    'data_sources.retrieve': retrieveDataSource,
    'data_sources.update': updateDataSource,
    'data_sources.query': queryDataSource,
    'data_sources.list_templates': listTemplates,
    'comments.create': createComment,
    'comments.list': listComments,
    'comments.retrieve': retrieveComment,
  },
  subscriptions: {
    'apply-template': applyTemplate,
    'purge-trash': purge,
  },
  callbacks: {
    'page-created': webhook,
    'page-content-updated': webhook,
    'page-properties-updated': webhook,
    'page-moved': webhook,
    'page-locked': webhook,
    'page-unlocked': webhook,
    'page-deleted': webhook,
    'page-undeleted': webhook,
    'database-created': webhook,
    'database-moved': webhook,
    'database-deleted': webhook,
    'database-undeleted': webhook,
    'data-source-created': webhook,
    'data-source-content-updated': webhook,
    'data-source-schema-updated': webhook,
    'data-source-moved': webhook,
    'data-source-deleted': webhook,
    'data-source-undeleted': webhook,
    'comment-created': webhook,
  },
  http: {
    'users.me': codecs,
    'users.list': codecs,
    'users.retrieve': codecs,
    search: codecs,
    'pages.create': codecs,
    'pages.retrieve': codecs,
    'pages.update': codecs,
    'pages.move': codecs,
    'pages.properties.retrieve': codecs,
    'pages.retrieve_markdown': codecs,
    'pages.update_markdown': codecs,
    'blocks.retrieve': codecs,
    'blocks.update': codecs,
    'blocks.delete': codecs,
    'blocks.children.list': codecs,
    'blocks.children.append': codecs,
    'databases.create': codecs,
    'databases.retrieve': codecs,
    'databases.update': codecs,
    'data_sources.create': codecs,
    'data_sources.retrieve': codecs,
    'data_sources.update': codecs,
    'data_sources.query': codecs,
    'data_sources.list_templates': codecs,
    'comments.create': codecs,
    'comments.list': codecs,
    'comments.retrieve': codecs,
  },
  refuse,
});
