import type { RegisteredTaskKind } from './runtime/context.ts';

/** Every kind of background task, by its name in the database. */
export const taskKinds = {
  'quote.ask': {
    load: () => import('./quotes/request-provider-quote.ts').then((m) => m.providerQuoteTask),
    calls_provider: true,
    shares_subject: true,
  },
  'dispatch.ask': {
    load: () => import('./dispatch/execute-dispatch.ts').then((m) => m.dispatchTask),
    acts_outside: true,
    calls_provider: true,
  },
  'dispatch.recall': {
    load: () => import('./dispatch/cancel-delivery.ts').then((m) => m.cancelOrphanedTask),
    acts_outside: true,
  },
  'courier.poll': {
    load: () => import('./dispatch/courier-reports.ts').then((m) => m.pollTask),
    calls_provider: true,
  },
  'proof.copy': {
    load: () => import('./dispatch/courier-reports.ts').then((m) => m.proofTask),
    lane: 'pictures',
    shares_subject: true,
  },
  'fleet.offer': {
    load: () => import('./fleet/offer-route.ts').then((m) => m.offerTask),
    is_serializable: true,
  },
  'report.take': { load: () => import('./deliveries/take-report.ts').then((m) => m.reportTask) },
  'notice.send': {
    load: () => import('./notices/send-notice.ts').then((m) => m.noticeTask),
    acts_outside: true,
    lane: 'mail',
    shares_subject: true,
  },
  'location.tell': { load: () => import('./deliveries/take-report.ts').then((m) => m.locationTask) },
  'order.try': { load: () => import('./auto-dispatch/attempts.ts').then((m) => m.attemptTask) },
  'order.choose': { load: () => import('./auto-dispatch/attempts.ts').then((m) => m.quoteSelectionTask) },
  'batch.close': {
    load: () => import('./batches/batch-handlers.ts').then((m) => m.batchCompletionTask),
    shares_subject: true,
  },
} as const satisfies Readonly<Record<string, RegisteredTaskKind>>;
