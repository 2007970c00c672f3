/**
 * Finds and prices the selected deliveries before a bulk command asks for consent. Lists them on stderr, and keeps those
 * that are refused apart from those that are left out.
 */
import { unlessMissing } from '../../../client/errors.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import { dollars } from '../../../domain/money.ts';
import { createErrorReport } from '../../errors/error-report.ts';
import { DryRun } from '../../kit/errors/failure.ts';
import { alignedRows } from '../../kit/output/aligned-rows.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { plainText } from '../../kit/result/message.ts';
import { findDeliveryId } from '../../nouns/find-delivery.ts';
import type { Context } from '../../session/command.ts';
import type { BulkAction, Checked, Named, Refused } from './bulk-action.ts';
import { deliveriesText } from './bulk-rows.ts';
import type { Selected } from './bulk-selection.ts';

/** The prices of the deliveries, those that are refused, and how many are left out as their orders are closed. */
export async function priceSelection(
  context: Context,
  selection: readonly Selected[],
  action: BulkAction,
): Promise<{ checked: Checked[]; closed: number }> {
  const progress = await context.progress(`Asking for the prices of ${deliveriesText(selection)}`);
  const found = new Map<string, Checked>();
  const closed = new Set<string>();
  try {
    for (const { typed, delivery } of selection) {
      const id = delivery?.id ?? (await findIdOrRefusal(context, typed));
      if (typeof id !== 'string') {
        found.set(id.delivery_id, { ...id, ...namedBy(null) });
        continue;
      }
      const price = await priceOf(id, action);
      if (price.kind === 'closed') closed.add(id);
      else if (price.kind !== 'gone')
        found.set(price.delivery_id, { ...price, ...namedBy(delivery ?? (await fetchNamed(context, id))) });
    }
  } finally {
    progress.stop();
  }
  return { checked: [...found.values()], closed: closed.size };
}

/** `2 deliveries were left out: their orders are closed.` */
export function noteClosed(context: Context, left_out: number): void {
  const [were, orders] =
    left_out === 1 ? ['1 delivery was', 'its order is'] : [`${left_out} deliveries were`, 'their orders are'];
  const message = `${were} left out: ${orders} closed.`;
  const object = { type: 'note', code: 'order_not_open', message, left_out };
  context.note(context.output.json ? JSON.stringify(object) : message);
}

/** The most deliveries that are listed before the question. */
const max_preview = 30;

/** Lists the deliveries on stderr before their price is confirmed, as far as a screen has room. */
export function notePreview(context: Context, checked: readonly Checked[]): void {
  if (checked.length === 0) return;
  const cells = checked.slice(0, max_preview).map((each) => {
    const { delivery_id, external_order_ref, store } = each;
    return [external_order_ref || delivery_id, store ?? '', priceText(each)].map((text) => ({
      text: oneLine(text),
    }));
  });
  for (const line of alignedRows(cells, { room: null })) context.note(line, { isWhole: true });
  const rest = checked.length - cells.length;
  if (rest > 0) context.note(`  and ${rest} more: --dry-run lists all.`);
}

function priceText(each: Checked): string {
  if (each.kind === 'refused') return each.reason;
  if (each.kind === 'done') return each.outcome.reason ?? '';
  return each.cost === null ? 'price not known' : dollars(each.cost);
}

/** The ID of the only delivery that matches, without a prompt; else the refusal of what was typed. */
async function findIdOrRefusal(context: Context, typed: string): Promise<string | Refused> {
  const { client, serviceNow, prompts, note, output } = context;
  const has: Context['has'] = (feature) => context.has(feature);
  const unprompted = { client, has, serviceNow, prompts, note, output, interactive: false };
  try {
    return await findDeliveryId(unprompted, typed, { changes: true });
  } catch (error) {
    return readRefusal(typed, error);
  }
}

/** The delivery of an ID that was found; null where it cannot be read. */
async function fetchNamed(context: Context, id: string): Promise<Delivery | null> {
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

/** The exit codes of errors about one record: a wrong value, a record that is not there, and a state that forbids it. */
const exitsOfOne: readonly number[] = [2, 5, 6];

/** The refusal of this delivery alone; throws an error that would affect every one. */
export function readRefusal(delivery_id: string, error: unknown): Refused {
  if (error instanceof DryRun) throw error;
  const { exit, code, message } = createErrorReport(error);
  if (!exitsOfOne.includes(exit)) throw error;
  return { kind: 'refused', delivery_id, code, reason: plainText(message) };
}
