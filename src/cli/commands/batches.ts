/** `batches`: their lists and outcomes, waiting for the end, and canceling what is pending. */
import type { Batch } from '../../contract/batches.ts';
import { batchStatuses } from '../../contract/vocabulary.ts';
import { choicesFlag } from '../kit/args/flags.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import { drawingFormats } from '../kit/result/result.ts';
import { batchColumns, batchDrawing, findGivenBatch } from '../nouns/batch.ts';
import {
  batchEnd,
  batchErrors,
  batchExits,
  batchTargetFlags,
  batchTimeout,
  batchWaitable,
  batchWaitFlag,
  eitherTimeout,
  toBatchTarget,
  windowAndMore,
} from '../nouns/batch-waiting.ts';
import { ordersText } from '../records.ts';
import { type Context, defineCommand, positional } from '../session/command.ts';
import { shownZone } from '../session/list-view.ts';
import { listing, pagingFlags } from '../session/listing.ts';
import { waitForAnswer, watchChanges } from '../waiting/service-waiting.ts';
import {
  checkWaiting,
  paceFlags,
  recordWaitingNames,
  waitOptions,
  watchFlags,
} from '../waiting/waiting-flags.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List batches, newest first',
  description: [
    'Taken by couriers counts the orders that were dispatched, whatever happened to them later: report counts what was',
    'delivered, failed, canceled and returned.',
  ].join('\n'),
  flags: {
    status: choicesFlag({ summary: 'Filter by status', choices: batchStatuses, placeholder: 'STATUSES' }),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill batches list', summary: 'List the latest batches' },
    { command: 'waybill batches list --status processing', summary: 'List the batches in progress' },
    { command: 'waybill batches list --all -o id', summary: 'Print every ID' },
  ],
  columns: batchColumns,
  effect: 'read',
  calls: ['batches.list', 'deliveries.list'],
  answers: ({ each }) => [each('batches.list')],
  related: ['batches get', 'orders list'],
  async run(context, { flags }) {
    const { status } = flags;
    const client = await context.client();
    return listing(context, {
      list: client.batches.list,
      query: { status },
      paging: flags,
      columns: batchColumns,
      zone: await shownZone(context),
      command: invocation('batches list'),
      filters: { status: status?.join(',') },
      empty: 'No batches found.',
      start: phrase`No batches yet. Auto dispatch makes them: ${invocation('orders create', [], { auto: true })}`,
    });
  },
});

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show the orders of a batch and their outcome',
  description: [
    'Shows each order with its status, its attempts, and why it was not dispatched. With --wait or --watch the exit',
    'code is 0 if every order was dispatched, 9 if none was, 10 if some were not, and 8 after a timeout. With',
    '--fail-on it is 9 as soon as an order ends in that status. --watch --json prints the batch per line with a type:',
    'batch.current first, then batch.updated, and finally batch.completed.',
  ].join('\n'),
  positionals: { batch: positional('batch', { summary: 'Batch ID' }) },
  flags: { wait: batchWaitFlag, ...watchFlags(batchEnd, eitherTimeout), ...batchTargetFlags },
  examples: [
    { command: 'waybill batches get BATCH', summary: 'Show the current status' },
    { command: 'waybill batches get BATCH --watch', summary: 'Follow it live' },
    { command: 'waybill batches get BATCH --wait --timeout 40m --json', summary: 'In a script' },
  ],
  effect: 'read',
  formats: drawingFormats,
  answers: ({ one }) => [one('batches.get')],
  exits: batchExits,
  errors: batchErrors,
  related: ['batches wait', 'orders attempts', 'batches cancel', 'deliveries list'],
  async run(context, { flags, positionals }) {
    const { watch, wait } = flags;
    checkWaiting(context, { wait, watch }, recordWaitingNames);
    const batch = await findGivenBatch(context, positionals.batch);
    if (watch || wait) {
      const waitable = batchWaitable(context, batch, toBatchTarget(flags));
      const command = ['batches get', batch.batch_id, watch ? { watch } : { wait }] as const;
      if (watch) return watchChanges(context, waitable, waitOptions(context, command, flags));
      const options = waitOptions(context, command, flags, batchTimeout(batch.settings));
      return waitForAnswer(context, waitable, options);
    }
    const follow = invocation('batches get', [batch.batch_id], { watch: true });
    return batchDrawing(batch, {
      zone: await shownZone(context),
      ...(batch.status === 'processing' ? { notes: [phrase`Follow progress: ${follow}`] } : {}),
    });
  },
});

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until a batch is complete',
  description: [
    'Same as batches get --wait. The exit code is 0 if every order was dispatched, 9 if none was, 10 if some were',
    'not, and 8 after a timeout. With --fail-on it is 9 as soon as an order ends in that status; other orders',
    'continue.',
  ].join('\n'),
  positionals: { batch: positional('batch', { summary: 'Batch ID' }) },
  flags: { ...batchTargetFlags, ...paceFlags(windowAndMore) },
  examples: [
    { command: 'waybill batches wait BATCH', summary: 'Wait until every order has an outcome' },
    {
      command: 'waybill batches wait BATCH --fail-on unfulfilled,failed --timeout 40m --json',
      summary: 'In a script, stop at the first order that no courier takes',
    },
  ],
  effect: 'read',
  formats: drawingFormats,
  answers: ({ one }) => [one('batches.get')],
  exits: {
    9: 'no order was dispatched, or one reached a status of --fail-on',
    10: 'some orders were not dispatched',
  },
  errors: batchErrors,
  related: ['batches get', 'orders wait', 'orders attempts'],
  async run(context, { flags, positionals }) {
    const batch = await findGivenBatch(context, positionals.batch);
    const timeout_ms = batchTimeout(batch.settings);
    const options = waitOptions(context, ['batches wait', batch.batch_id], flags, timeout_ms);
    return waitForAnswer(context, batchWaitable(context, batch, toBatchTarget(flags)), options);
  },
});

export const cancel = defineCommand({
  name: 'cancel',
  aliases: ['close', 'stop'],
  summary: 'Cancel the pending orders of a batch',
  description: [
    'Orders that are already dispatched are not affected: cancel their deliveries one by one, at the fee of each',
    'courier. If a courier is being asked right now, that order is canceled only if the courier declines.',
  ].join('\n'),
  positionals: { batch: positional('batch', { summary: 'Batch ID' }) },
  examples: [
    { command: 'waybill batches cancel BATCH', summary: 'Show the effect, then confirm' },
    { command: 'waybill batches cancel BATCH --yes', summary: 'In a script' },
  ],
  effect: 'write',
  confirms: true,
  formats: drawingFormats,
  calls: ['batches.cancel', 'batches.get'],
  answers: ({ one }) => [one('batches.cancel')],
  related: ['batches get', 'orders cancel', 'deliveries cancel'],
  async run(context, { positionals }) {
    const before = await findGivenBatch(context, positionals.batch);
    const after = await cancelPending(context, before);
    const notes = canceledNotes(before, after);
    return batchDrawing(after, { notes, zone: await shownZone(context) });
  },
});

/** Cancels the pending orders of the batch; without any, no request is sent. */
async function cancelPending(context: Context, before: Batch): Promise<Batch> {
  const { batch_id, counts } = before;
  if (!context.globals.dryRun) {
    if (counts.pending === 0) return before;
    await context.confirm(cancelQuestion(before));
  }
  const client = await context.client();
  const { data } = await client.batches.cancel({
    params: { batch_id },
    idempotencyKey: context.idempotencyKey(),
  });
  return data;
}

function cancelQuestion({ batch_id, counts }: Batch): string {
  const { pending, dispatched } = counts;
  const kept = dispatched === 0 ? '' : ` ${dispatchedText(dispatched)}`;
  return `Cancel the ${ordersText(pending)} pending in ${batch_id}?${kept}`;
}

/** Notes on the orders that were canceled and those that could not be. */
function canceledNotes(before: Batch, after: Batch): Text[] {
  const { batch_id, counts } = after;
  if (before.counts.pending === 0) return [`${batch_id} has no pending orders. Nothing was changed.`];
  const canceled = counts.canceled - before.counts.canceled;
  return [
    `${ordersText(canceled)} ${canceled === 1 ? 'was' : 'were'} canceled.`,
    ...(counts.pending === 0 ? [] : [courierAskedText(counts.pending)]),
    ...(counts.dispatched === 0
      ? []
      : [phrase`${dispatchedText(counts.dispatched)} To cancel one: ${cancelOneCommand}`]),
  ];
}

const cancelOneCommand = invocation('orders cancel', ['ORDER']);

/** `3 orders are dispatched and stay so.` */
function dispatchedText(count: number): string {
  return `${ordersText(count)} ${count === 1 ? 'is dispatched and stays so' : 'are dispatched and stay so'}.`;
}

function courierAskedText(count: number): string {
  const what =
    count === 1 ? 'it is canceled only if that one refuses' : 'each is canceled only if that one refuses';
  return `A courier is being asked for ${ordersText(count)}: ${what}.`;
}
