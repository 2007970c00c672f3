/** Several deliveries in one command: priced together, confirmed, and done one after the other. */
import { unlessMissing } from '../../../client/errors.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import { dollars } from '../../../domain/money.ts';
import { createErrorReport } from '../../errors/error-report.ts';
import { moneyText } from '../../kit/args/flags.ts';
import { DryRun, type ExitCode, Failure } from '../../kit/errors/failure.ts';
import { alignedRows } from '../../kit/output/aligned-rows.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { type Invocation, invocation, phrase, plainText } from '../../kit/result/message.ts';
import { type Column, exitUnless, type ListResult, listResult } from '../../kit/result/result.ts';
import type { AnswerBuilder, Shape } from '../../kit/result/shape.ts';
import { findDeliveryId } from '../../nouns/find-delivery.ts';
import { partlyDone } from '../../nouns/order-sending.ts';
import type { Context } from '../../session/command.ts';
import { type Selected, type Selection, selectDeliveries } from './bulk-selection.ts';

/** A delivery whose command is possible, with its price in cents; null if unknown. */
interface Priced {
  kind: 'priced';
  delivery_id: string;
  cost: number | null;
  refund: number;
  tip?: number;
}

/** A delivery that is not changed, and why. */
interface Refused {
  kind: 'refused';
  delivery_id: string;
  code: string;
  reason: string;
}

/** The outcome of one delivery of a bulk command. Amounts are in cents. */
interface BulkOutcome {
  object: 'bulk_result';
  delivery_id: string;
  result: 'canceled' | 'retried' | 'refused' | 'failed' | 'not_sent';
  new_delivery_id: string | null;
  cost: number | null;
  refund: number | null;
  code: string | null;
  reason: string | null;
}

/** The steps of a bulk command for each delivery. */
export interface BulkAction {
  command: 'deliveries cancel' | 'deliveries retry';
  done: 'canceled' | 'retried';
  /** The limit of what all deliveries together cost with their tips, in cents, and its flag. */
  limit: { flag: 'maxCost' | 'maxFee'; max: number | undefined };
  /** The price. A delivery is left out if its order is closed, or if it is gone: done already. */
  price(delivery_id: string): Promise<Priced | Refused | { kind: 'closed' } | { kind: 'gone' }>;
  /** Has the total confirmed; fails with exit 6 if it is above the limit. `refused` counts the deliveries that are. */
  agree(priced: readonly Priced[], refused: number): Promise<void>;
  /** Changes one delivery; `remaining` is what is left of the limit. */
  act(
    priced: Priced,
    options: { remaining: number | undefined; idempotencyKey: string },
  ): Promise<BulkOutcome>;
  /** The period of --where if none is given: only for words about what happened, not about what is under way. */
  period?: string;
}

/** The reference and the store by which people know a delivery. */
interface Named {
  external_order_ref: string | null;
  /** The name at the pickup. */
  store: string | null;
}

/** A delivery to act on, or one that is refused. */
type Checked = (Priced | Refused) & Named;

/** A row of the list: the outcome, and how people know the delivery. */
type BulkRow = BulkOutcome & Named;

export function bulkShape({ object, orNull }: AnswerBuilder): Shape {
  return object({
    object: '"bulk_result"',
    delivery_id: 'string',
    external_order_ref: orNull('string'),
    store: orNull('string'),
    result: 'canceled | retried | refused | failed | not_sent (with --dry-run)',
    new_delivery_id: orNull('string'),
    cost: orNull('integer'),
    refund: orNull('integer'),
    code: orNull('string'),
    reason: orNull('string'),
  });
}

const columns: readonly Column<BulkRow>[] = [
  { field: 'delivery_id', header: 'Delivery', kind: 'id' },
  { field: 'external_order_ref', header: 'Ref', kind: 'text', unlessEmpty: true },
  { field: 'store', header: 'Store', kind: 'text', unlessEmpty: true },
  { field: 'result', header: 'Result', kind: 'text' },
  { field: 'new_delivery_id', header: 'New delivery', kind: 'id', unlessEmpty: true },
  { field: 'cost', header: 'Cost', kind: 'money' },
  { field: 'refund', header: 'Refunded', kind: 'money', unlessEmpty: true },
  { field: 'reason', header: 'Reason', kind: 'text', unlessEmpty: true, prose: true },
  { field: 'code', header: 'Code', kind: 'text', only: 'programs' },
];

/** A bulk command and its progress. */
interface Bulk {
  action: BulkAction;
  /** The deliveries to act on, and those that are refused. */
  checked: readonly Checked[];
  rows: BulkRow[];
  /** The rest of the limit, in cents; undefined if there is no limit. */
  remaining: number | undefined;
  /** The error that ended it before its end; null without one. */
  stopped: unknown;
}

/**
 * Acts on several deliveries in sequence: their prices, the list of them, the limit and the question (`agree`), then each
 * of them. A dry run ends after the question, which it only prints, with --curl after the first request. Exit 10 if some
 * were refused or failed; if all were refused for the same reason, the exit code of that reason. The service refuses what
 * was done before, so that the same command continues an interrupted run.
 */
export async function runBulk(
  context: Context,
  selection: Selection,
  action: BulkAction,
): Promise<ListResult> {
  const { checked, closed } = await pricesOf(
    context,
    await selectDeliveries(context, selection, action.period),
    action,
  );
  if (closed > 0) noteClosed(context, closed);
  const priced = checked.filter((each): each is Priced & Named => each.kind === 'priced');
  const { dryRun, curl, yes } = context.globals;
  if (!context.output.json && !dryRun && !yes) notePreview(context, checked);
  const agree = async () => {
    if (priced.length > 0) await action.agree(priced, checked.length - priced.length);
  };
  if (dryRun && !curl) return previewResult(checked, action, await agree().then(() => null, refusalIn));
  await agree();
  const bulk: Bulk = { action, checked, rows: [], remaining: action.limit.max, stopped: null };
  return listResult({
    data: rowsOf(context, bulk),
    columns,
    empty: 'No deliveries found: nothing was changed.',
    notes: () => (checked.length === 0 || failureOf(context, bulk) !== null ? [] : [doneText(bulk)]),
    exit: exitUnless(() => failureOf(context, bulk)),
  });
}

/** Lists the deliveries on stderr before their price is confirmed, as far as a screen has room. */
function notePreview(context: Context, checked: readonly Checked[]): void {
  if (checked.length === 0) return;
  const cells = checked.slice(0, max_preview).map((each) => {
    const { delivery_id, external_order_ref, store } = each;
    const reason = each.kind === 'refused' ? each.reason : '';
    const cost = each.kind === 'refused' ? null : each.cost;
    const price = reason || (cost === null ? 'price not known' : dollars(cost));
    return [external_order_ref || delivery_id, store ?? '', price].map((text) => ({ text: oneLine(text) }));
  });
  for (const line of alignedRows(cells, { room: null })) context.note(line, { isWhole: true });
  const rest = checked.length - cells.length;
  if (rest > 0) context.note(`  and ${rest} more: --dry-run lists all.`);
}

/** The most deliveries that are listed before the question. */
const max_preview = 30;

/** The refusal of a total above the limit. */
function refusalIn(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** The result of a dry run: a row with its price for each delivery, also if they cost more than the limit. */
function previewResult(checked: readonly Checked[], action: BulkAction, refusal: Failure | null): ListResult {
  const rows = checked.map((each): BulkRow => {
    const { delivery_id, external_order_ref, store } = each;
    if (each.kind === 'refused') return { ...refusedRow(each), external_order_ref, store };
    const { cost, refund } = each;
    const row = {
      object: 'bulk_result',
      delivery_id,
      external_order_ref,
      store,
      result: 'not_sent',
    } as const;
    return { ...row, new_delivery_id: null, cost, refund: refund || null, code: null, reason: null };
  });
  const ready = rows.filter(({ result }) => result === 'not_sent');
  return listResult({
    data: rows,
    columns,
    empty: 'No deliveries found.',
    notes: () =>
      refusal === null ? [`Nothing was changed: ${deliveriesText(ready)} would be ${action.done}.`] : [],
    exit: exitUnless(() => refusal),
  });
}

/** The prices of the deliveries, those that are refused, and how many are left out as their orders are closed. */
async function pricesOf(
  context: Context,
  selection: readonly Selected[],
  action: BulkAction,
): Promise<{ checked: Checked[]; closed: number }> {
  const progress = await context.progress(`Asking for the prices of ${deliveriesText(selection)}`);
  const found = new Map<string, Checked>();
  const closed = new Set<string>();
  try {
    for (const { typed, delivery } of selection) {
      const id = delivery?.id ?? (await findId(context, typed));
      const price = typeof id === 'string' ? await priceOf(id, action) : id;
      if (price.kind === 'closed') closed.add(String(id));
      else if (price.kind !== 'gone')
        found.set(price.delivery_id, { ...price, ...namedBy(delivery ?? (await fetchNamed(context, id))) });
    }
  } finally {
    progress.stop();
  }
  return { checked: [...found.values()], closed: closed.size };
}

/** `2 deliveries were left out: their orders are closed.` */
function noteClosed(context: Context, left_out: number): void {
  const [were, orders] =
    left_out === 1 ? ['1 delivery was', 'its order is'] : [`${left_out} deliveries were`, 'their orders are'];
  const message = `${were} left out: ${orders} closed.`;
  const object = { type: 'note', code: 'order_not_open', message, left_out };
  context.note(context.output.json ? JSON.stringify(object) : message);
}

/** Finds a delivery without a prompt; refused unless exactly one matches. */
async function findId(context: Context, typed: string): Promise<string | Refused> {
  const { client, serviceNow, prompts, note, output } = context;
  const has: Context['has'] = (feature) => context.has(feature);
  const asking = { client, has, serviceNow, prompts, note, output, interactive: false };
  try {
    return await findDeliveryId(asking, typed, { changes: true });
  } catch (error) {
    return readRefusal(typed, error);
  }
}

/** The delivery of an ID that was found; null for one that is refused, and where it cannot be read. */
async function fetchNamed(context: Context, id: string | Refused): Promise<Delivery | null> {
  if (typeof id !== 'string') return null;
  const client = await context.client();
  const call = client.deliveries.get({ params: { deliveryid: id } }).then(({ data }) => data);
  return unlessMissing(call);
}

/** How people know a delivery: its reference and its store. */
function namedBy(delivery: Delivery | null): Named {
  return { external_order_ref: delivery?.external_order_ref || null, store: delivery?.pickup_name || null };
}

/** The price of one delivery; an error about it alone is a refusal. */
async function priceOf(id: string, action: BulkAction): ReturnType<BulkAction['price']> {
  try {
    return await action.price(id);
  } catch (error) {
    return readRefusal(id, error);
  }
}

/** Yields the rows as they are done; the first error that would affect every one ends them. */
async function* rowsOf(context: Context, bulk: Bulk): AsyncGenerator<BulkRow> {
  try {
    for (const each of bulk.checked) {
      context.setInterruptionText(phrase`${doneText(bulk)} Continue with: ${continueCommand(context, bulk)}`);
      const { external_order_ref, store } = each;
      const outcome = each.kind === 'refused' ? refusedRow(each) : await rowOf(context, each, bulk);
      const row = { ...outcome, external_order_ref, store };
      bulk.rows.push(row);
      yield row;
    }
  } catch (error) {
    if (error instanceof DryRun) throw error;
    bulk.stopped = error;
  }
}

/** Changes a delivery and takes its cost off the limit. */
async function rowOf(context: Context, priced: Priced, bulk: Bulk): Promise<BulkOutcome> {
  const { delivery_id, tip = 0 } = priced;
  const { action, remaining } = bulk;
  try {
    const idempotencyKey = context.idempotencyKey(delivery_id);
    const outcome = await action.act(priced, { remaining, idempotencyKey });
    if (remaining !== undefined && outcome.result === action.done)
      bulk.remaining = Math.max(0, remaining - (outcome.cost ?? 0) - tip);
    return outcome;
  } catch (error) {
    return refusedRow(readRefusal(delivery_id, error));
  }
}

/** The refusal of this delivery alone; throws an error that would affect every one. */
function readRefusal(delivery_id: string, error: unknown): Refused {
  if (error instanceof DryRun) throw error;
  const { exit, code, message } = createErrorReport(error);
  if (exit !== 2 && exit !== 5 && exit !== 6) throw error;
  return { kind: 'refused', delivery_id, code, reason: plainText(message) };
}

/** The row of a delivery that is not changed. */
function refusedRow({ delivery_id, code, reason }: Refused): BulkOutcome {
  const nothing = { new_delivery_id: null, cost: null, refund: null };
  return { object: 'bulk_result', delivery_id, result: 'refused', ...nothing, code, reason };
}

/** The command that continues: the flags as typed, with what is left of the limit. */
function continueCommand({ typedWords }: Context, { action, remaining }: Bulk): Invocation {
  const { flag } = action.limit;
  const limit = remaining === undefined ? undefined : moneyText(remaining);
  return invocation(action.command, typedWords([flag]), { [flag]: limit });
}

function doneText({ rows, checked, action: { done } }: Bulk): string {
  const went = rows.filter(({ result }) => result === done).length;
  const verb = went === 1 || checked.length === 1 ? 'was' : 'were';
  return `${went} of ${deliveriesText(checked)} ${verb} ${done}.`;
}

/** The exit code if all were refused for one reason; 6 for any other. */
const exitByCode: Readonly<Record<string, ExitCode>> = { record_not_found: 5, usage: 2 };

/** The error that a bulk command ends with; null if all went well. */
function failureOf(context: Context, bulk: Bulk): unknown {
  const { action, checked, rows, stopped } = bulk;
  if (stopped !== null) {
    if (rows.length === 0) return stopped;
    const again = continueCommand(context, bulk);
    return partlyDone(stopped, doneText(bulk), {
      hint: phrase`The others were not tried. Continue with: ${again}`,
      next: [{ ...again, when: 'continue, nothing is done twice' }],
    });
  }
  const undone = rows.filter(({ result }) => result !== action.done);
  const [first] = undone;
  if (first === undefined) return null;
  const isSame = undone.length === checked.length && undone.every(({ code }) => code === first.code);
  const ownExit = first.result === 'failed' ? 9 : (exitByCode[first.code ?? ''] ?? 6);
  const exit = isSame ? ownExit : 10;
  const code = isSame && first.code !== null ? first.code : 'some_not_changed';
  return new Failure(exit, code, doneText(bulk), {
    faults: undone.map(({ delivery_id, reason }) => ({
      path: delivery_id,
      message: reason ?? '',
      flag: null,
    })),
  });
}

/** `12 deliveries` */
export function deliveriesText({ length }: readonly unknown[]): string {
  return `${length} ${length === 1 ? 'delivery' : 'deliveries'}`;
}

/** Has the total confirmed; with --yes and --dry-run it is only printed. */
export async function agreeTo(context: Context, question: string, despiteYes = false): Promise<void> {
  const { dryRun, yes } = context.globals;
  if ((dryRun || (yes && !despiteYes)) && !context.output.json) context.note(question);
  if (dryRun) return;
  await context.confirm(question, { despiteYes });
}
