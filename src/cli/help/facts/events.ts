import { answerOf, each, type Facts, lines, one } from './fact.ts';
import {
  arrivedAtSink,
  event,
  forwarded,
  forwardFailed,
  hint,
  ready,
  secretShown,
  serverDown,
  serverUp,
  shownEvent,
  verdict,
} from './own-shapes.ts';

/** Commands for events and webhooks. */
export const eventFacts: Readonly<Record<string, Facts>> = {
  'events list': {
    calls: ['events.list', 'deliveries.listDetailed', 'batches.get'],
    errors: ['record_not_found'],
    answers: [each(event)],
    related: ['events get', 'events tail', 'events resend'],
  },
  'events get': {
    calls: ['events.get'],
    answers: [one(event)],
    related: ['events list', 'events resend'],
  },
  'events tail': {
    calls: ['events.stream', 'deliveries.listDetailed', 'batches.get'],
    answers: [lines(event), lines(hint, 'on stderr, when a problem needs attention')],
    errors: ['unknown_field'],
    related: ['events list', 'listen', 'deliveries watch'],
  },
  'events resend': {
    calls: ['events.resend', 'events.get'],
    answers: [one('events.resend', 'of one event'), each(answerOf('events.resend'), 'of several')],
    exits: { 9: 'no endpoint subscribes to this event type', 10: 'some events were not sent' },
    errors: ['no_webhook_endpoint', 'some_not_resent'],
    related: ['events list', 'webhooks attempts'],
  },
  'webhooks create': {
    calls: ['webhooks.create'],
    answers: [one('webhooks.create')],
    related: ['webhooks test', 'webhooks verify', 'webhooks list', 'listen'],
  },
  'webhooks list': {
    calls: ['webhooks.list'],
    answers: [each('webhooks.list')],
    related: ['webhooks get', 'webhooks create'],
  },
  'webhooks get': {
    calls: ['webhooks.get'],
    answers: [one('webhooks.get')],
    related: ['webhooks attempts', 'webhooks update', 'webhooks test'],
  },
  'webhooks update': {
    calls: ['webhooks.update'],
    answers: [one('webhooks.update')],
    related: ['webhooks get', 'webhooks delete'],
  },
  'webhooks delete': {
    calls: ['webhooks.delete'],
    answers: [one('webhooks.delete')],
    related: ['webhooks update', 'webhooks list'],
  },
  'webhooks rotate-secret': {
    calls: ['webhooks.rotate'],
    answers: [one('webhooks.rotate')],
    related: ['webhooks verify', 'webhooks get'],
  },
  'webhooks test': {
    calls: ['webhooks.test'],
    answers: [one('webhooks.test')],
    exits: { 9: 'the endpoint did not accept the event' },
    errors: ['webhook_attempt_failed'],
    related: ['webhooks attempts', 'webhooks verify'],
  },
  'webhooks attempts': {
    calls: ['webhooks.attempts', 'webhooks.list', 'events.get'],
    answers: [each('webhooks.attempts')],
    related: ['events resend', 'webhooks test'],
  },
  'webhooks verify': {
    calls: [],
    answers: [one(verdict)],
    exits: { 9: 'the webhook is not valid' },
    errors: ['webhook_not_valid'],
    related: ['webhooks rotate-secret', 'listen'],
  },
  listen: {
    calls: ['events.stream'],
    answers: [
      lines(ready, 'first'),
      lines(forwarded),
      lines(forwardFailed),
      lines(shownEvent, 'for an event that no destination takes'),
      lines(serverDown, 'when a server stops responding'),
      lines(serverUp),
      lines(arrivedAtSink, 'with --sink'),
      lines(secretShown, 'with --print-secret alone'),
      lines(hint, 'on stderr, when a problem needs attention'),
    ],
    errors: ['unknown_field'],
    related: ['events tail', 'webhooks create', 'webhooks verify'],
  },
};
