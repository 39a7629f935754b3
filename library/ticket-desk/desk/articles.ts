// The help center: where the desk's policies are written down.
import type { Article, Context, Page } from './model.js';
import { defaultPageSize } from './paging.js';
import { eachRow, requireRow } from './rows.js';
import { containsWords } from './words.js';

type ArticleHead = Pick<Article, 'id' | 'title' | 'labels'>;

export function searchArticles(
  input: { readonly text?: string; readonly label?: string; readonly limit?: number },
  context: Context,
): Page<ArticleHead> {
  const items: ArticleHead[] = [];
  for (const { id, title, body, labels } of eachRow(context, 'articles')) {
    const matches = containsWords(input.text, [title, body, ...labels]) && (input.label === undefined || labels.includes(input.label));
    if (matches) items.push({ id, title, labels });
    if (items.length === (input.limit ?? defaultPageSize)) break;
  }
  return { items };
}

export function getArticle(input: { readonly articleId: string }, context: Context): Article {
  return requireRow(context, 'articles', input.articleId, 'ARTICLE_NOT_FOUND');
}
