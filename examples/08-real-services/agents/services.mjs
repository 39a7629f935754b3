// The four official clients. In production they take keys and no addresses; in a drill each takes the address of its mount, and nothing else
// about them changes.
import { Client as Notion } from '@notionhq/client';
import { Octokit } from '@octokit/rest';
import { WebClient } from '@slack/web-api';
import Stripe from 'stripe';

export function connect(env = process.env) {
  const token = env.SERVICE_HTTP_TOKEN;
  const { hostname: host, port } = new URL(env.SERVICE_HTTP_URL_STRIPE);
  return {
    github: new Octokit({ auth: token, baseUrl: env.SERVICE_HTTP_URL_GITHUB }),
    slack: new WebClient(token, { slackApiUrl: `${env.SERVICE_HTTP_URL_SLACK}/api/` }),
    stripe: new Stripe(token, { host, port, protocol: 'http', telemetry: false }),
    notion: new Notion({ auth: token, baseUrl: env.SERVICE_HTTP_URL_NOTION }),
  };
}
