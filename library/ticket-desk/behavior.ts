// The ticket desk's behavior: which function answers which operation and which event.
import { defineToolBehavior } from 'drillyard/tool-sdk';
import { getArticle, searchArticles } from './desk/articles.js';
import { assignTicket } from './desk/assignment.js';
import { addComment, listComments } from './desk/comments.js';
import { createRequester, getRequester, listAgents, listGroups, listPolicies } from './desk/directory.js';
import { editTicket, openTicket } from './desk/editing.js';
import { checkSla, escalateTicket, listEscalations } from './desk/escalations.js';
import { searchEverything } from './desk/everything.js';
import { getConversation, listTickets } from './desk/lists.js';
import { takeInMail } from './desk/mail.js';
import type { DeskTypes } from './desk/model.js';
import { getPerson, getSelf, listPeople } from './desk/people.js';
import { searchTickets } from './desk/search.js';
import { closeSolved, setStatus } from './desk/status.js';
import { createTicket, getTicket, updateTicket } from './desk/tickets.js';
import { codecs, searchCodecs } from './desk/wire.js';
import { refuseRequest } from './zendesk/errors.js';
import { zendeskRoutes } from './zendesk/routes.js';

export default defineToolBehavior<DeskTypes>({
  operations: {
    'ticket.create': createTicket,
    'ticket.get': getTicket,
    'ticket.update': updateTicket,
    'ticket.assign': assignTicket,
    'ticket.set-status': setStatus,
    'ticket.escalate': escalateTicket,
    'ticket.search': searchTickets,
    'ticket.open': openTicket,
    'ticket.edit': editTicket,
    'ticket.list': listTickets,
    'ticket.conversation': getConversation,
    'comment.add': addComment,
    'comment.list': listComments,
    'escalation.list': listEscalations,
    'requester.create': createRequester,
    'requester.get': getRequester,
    'agent.list': listAgents,
    'group.list': listGroups,
    'sla-policy.list': listPolicies,
    'article.search': searchArticles,
    'article.get': getArticle,
    'person.list': listPeople,
    'person.get': getPerson,
    'person.self': getSelf,
    'desk.search': searchEverything,
  },
  subscriptions: {
    'check-sla': checkSla,
    'close-solved': closeSolved,
    'take-in-mail': takeInMail,
  },
  http: {
    'ticket.create': codecs,
    'ticket.search': searchCodecs,
    'ticket.get': codecs,
    'ticket.update': codecs,
    'comment.add': codecs,
    ...zendeskRoutes,
  },
  refuse: refuseRequest,
});
