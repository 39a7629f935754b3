import {
  type CallbackInput,
  defineToolBehavior,
  type EncodeInput,
  type HttpRequest,
  ToolFailure,
  type WireMessage,
} from 'drillyard/tool-sdk';

interface Note {
  text: string;
  reminded: boolean;
}
interface Notes {
  state: { notes: Note };
  events: { 'note.due': { id: string } };
}
const found = ({ path }: HttpRequest) => ({ arguments: { id: path.id } });
const reply = ({ outcome }: EncodeInput): WireMessage => ({
  body: { kind: 'json', value: outcome.kind === 'ok' ? outcome.value : { ...outcome.error } },
});

const dueCodec: { encode(input: CallbackInput): WireMessage } = {
  encode: ({ deliveryId, payload }) => ({ body: { kind: 'json', value: { id: deliveryId, data: payload } } }),
};

export default defineToolBehavior<Notes>({
  operations: {
    'note.add': ({ id, text }: { id: string; text: string }, { state, events, clock, fail }) => {
      if (state.get('notes', id)) fail({ code: 'TAKEN', message: `There is a note ${id}.` });
      state.put('notes', id, { text, reminded: false });
      events.scheduleAt('note.due', { id }, clock.nowUs() + 3_600_000_000);
      return { id };
    },
    'note.get': ({ id }: { id: string }, { state, fail }) =>
      state.get('notes', id) ?? fail({ code: 'NOT_FOUND', message: `There is no note ${id}.` }),
    'page.capture': () => ({ title: 'A page', png: 'iVBORw0KGgo=', sound: 'UklGRg==', links: [] }),
  },
  subscriptions: {
    remind: ({ id }, { state }) => {
      const note = state.get('notes', id);
      if (note) state.put('notes', id, { ...note, reminded: true });
    },
  },
  refuse: ({ message, baseUrl }) => ({ body: { kind: 'json', value: { message, help: `${baseUrl}/help` } } }),
  http: {
    'notes.add': {
      decode: ({ body }) => {
        if (body.kind !== 'json') throw new ToolFailure({ code: 'BODY_MISSING', message: 'A note is JSON.' });
        return { arguments: body.value as { id: string; text: string } };
      },
      encode: reply,
    },
    'notes.add-form': {
      decode: ({ body }) => {
        if (body.kind !== 'form') throw new ToolFailure({ code: 'BODY_MISSING', message: 'A note is a form.' });
        const { id: [id = ''] = [], text: [text = ''] = [] } = body.value;
        return { arguments: { id, text } };
      },
      encode: reply,
    },
    'notes.add-plain': {
      decode: ({ body }) => ({ arguments: (body.kind === 'json' ? body.value : {}) as { id: string; text: string } }),
      encode: reply,
    },
    'notes.get': { decode: found, encode: reply },
    'notes.get-basic': { decode: found, encode: reply },
    'notes.get-query': { decode: found, encode: reply },
    'notes.get-open': { decode: found, encode: reply },
    'notes.get-cookie': { decode: found, encode: reply },
    'notes.get-signed': { decode: found, encode: reply },
  },
  graphql: { Query: { noteTitle: (_, { id }, { state }) => state.get('notes', id)?.text } },
  callbacks: {
    'note-due': dueCodec,
    'note-due-github': dueCodec,
    'note-due-unsigned': dueCodec,
    'note-due-slack': dueCodec,
    'note-due-standard': dueCodec,
  },
});
