import type { AnyDelivery } from '../../../contract/deliveries.ts';
import { isEnded, isPickedUp } from '../../../domain/delivery-states.ts';
import type { CellValue } from '../../kit/result/result.ts';
import type { Choice, Explanation } from '../../nouns/explanation.ts';
import { itemText } from '../../nouns/order.ts';
import { shownProofs } from './kept-deliveries.ts';

/** The rows for programs that read lines: the section, then its values. */
export function explanationRows(explanation: Explanation): CellValue[][] {
  const { delivery, timeline, late_seconds, choice, charges, paid, order_cost, cancellation, notes, next } =
    explanation;
  const { outcome, overdue_seconds, failed_task } = explanation;
  return [
    ['delivery', delivery.id, delivery.status, delivery.external_order_ref, delivery.service],
    ['late_seconds', late_seconds],
    ...(outcome === null ? [] : [['outcome', outcome]]),
    ...(explanation.canceled_by === null ? [] : [['canceled_by', explanation.canceled_by]]),
    ...(overdue_seconds === null ? [] : [['overdue_seconds', overdue_seconds]]),
    ...(failed_task === null ? [] : [['failed_task', failed_task.id, failed_task.error]]),
    ...stopRows(delivery),
    ['courier', delivery.courier_name, delivery.courier_vehicle_type, delivery.courier_phone_number],
    ...timeline.map(({ status, at, lasted_seconds }) => ['timeline', status, at, lasted_seconds]),
    ...choiceRows(choice),
    ...selectionRows(explanation.selection),
    ...(charges ?? []).map(({ kind, amount, created_at }) => ['charge', kind, amount, created_at]),
    ['paid', paid],
    ...(order_cost === null ? [] : [['order_paid', order_cost.paid]]),
    ...(order_cost?.attempts ?? []).map((each) => ['attempt', each.delivery_id, each.paid]),
    ...(cancellation === null
      ? []
      : [
          [
            'cancellation',
            cancellation.cancelable,
            cancellation.fee,
            cancellation.refund,
            cancellation.reason,
          ],
        ]),
    ...notes.map(({ created_at, text, tags }) => ['note', created_at, text, tags]),
    ...next.map(({ command, when }) => ['next', command, when]),
  ];
}

/** When it is promised and expected, to whom it goes, with which notes, and its proofs. */
function stopRows(delivery: AnyDelivery): CellValue[][] {
  const { pickup_name, pickup_address, pickup_notes, pickup_eta, items } = delivery;
  const [dropoff] = delivery.dropoffs;
  const rows: [string, ...CellValue[]][] = [
    ['promised_at', delivery.details?.promised_at ?? ''],
    [
      'eta',
      isEnded(delivery.status) ? '' : (dropoff?.dropoff_eta ?? ''),
      isPickedUp(delivery.status) ? '' : pickup_eta,
    ],
    ['from', pickup_name, pickup_address],
    ['to', dropoff?.dropoff_name ?? '', dropoff?.dropoff_address ?? '', dropoff?.dropoff_unit ?? ''],
    ['pickup_notes', pickup_notes],
    ['dropoff_notes', dropoff?.dropoff_notes ?? ''],
    ['items', items.length === 0 ? delivery.items_description : items.map(itemText)],
    ...shownProofs(delivery).map(({ type, url }): [string, ...CellValue[]] => ['proof', type, url]),
  ];
  return rows.filter(([, value]) => value !== '' && value !== undefined && value !== null);
}

function selectionRows(selection: Explanation['selection']): CellValue[][] {
  if (selection === null) return [];
  const { provider, price, reason, others } = selection;
  return [
    ['selection', provider, price, reason],
    ...others.map((each) => ['other_quote', each.provider, each.price, each.dropoff_eta, each.left_out]),
  ];
}

/** The rows for programs that read lines. */
function choiceRows(choice: Choice | null): CellValue[][] {
  if (choice === null) return [];
  const { number, status, provider, reason, left_out } = choice.try;
  return [
    ['choice', number, status, provider, reason],
    ...left_out.map((each) => ['left_out', each.provider, each.code, each.reason]),
    ...choice.earlier.map((each) => [
      ...['earlier_try', each.number, each.status, each.provider, each.reason],
      each.repeats,
    ]),
  ];
}
