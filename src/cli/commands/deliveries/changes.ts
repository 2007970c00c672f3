import type { AnyDelivery } from '../../../contract/delivery-details.ts';
import { dollars } from '../../../domain/money.ts';
import { courierText, type Wording, wordsOf } from './status-words.ts';
import { entriesOf } from './timeline.ts';

/** One change of a delivery. */
export interface Change {
  at: string;
  status: AnyDelivery['status'];
  what: string;
}

/**
 * Lists the changes between two polls in order: each status entered, or else the other fields that changed. `before` is
 * null on the first poll.
 */
export function changesBetween(before: AnyDelivery | null, after: AnyDelivery, wording: Wording): Change[] {
  const entries = entriesOf(after);
  const known = before === null ? 0 : entriesOf(before).length;
  const entered = entries.slice(known).map(({ status, at }, index): Change => {
    const isLast = known + index === entries.length - 1;
    return { at, status, what: wordsOf(status, after, isLast ? wording : null) };
  });
  if (before === null || entered.length > 0) return entered;
  // A service may keep no status history.
  if (before.status !== after.status) {
    const { status, updated_at: at } = after;
    return [{ at, status, what: wordsOf(status, after, wording) }];
  }
  const news = newsIn(before, after, wording);
  return news.length === 0 ? [] : [{ at: after.updated_at, status: after.status, what: news.join('; ') }];
}

/** Lists the changed fields of a delivery whose status is the same. */
function newsIn(before: AnyDelivery, after: AnyDelivery, { at, phone }: Wording): string[] {
  const etas = [before, after].map(({ dropoffs }) => dropoffs[0]?.dropoff_eta ?? '');
  const [courierBefore, courier] = [before, after].map((each) => courierText(each, (number) => number));
  const proofs = after.proof_of_delivery.slice(before.proof_of_delivery.length);
  const given = after.refunded_amount - before.refunded_amount;
  return [
    ...(courier === courierBefore ? [] : [courierText(after, phone)]),
    ...(etas[0] === etas[1] ? [] : [`expected ${at(etas[1] ?? '')}`]),
    ...proofs.map(({ type, url }) => `proof: ${type} ${url}`),
    ...(before.signature === null && after.signature !== null ? [`signed by ${after.signature.name}`] : []),
    ...(given === 0 || Number.isNaN(given) ? [] : [`${dollars(given)} given back`]),
    ...edited(before, after).map((field) => `${field} changed`),
  ];
}

const editable = [
  'pickup_name',
  'pickup_phone_number',
  'pickup_unit',
  'pickup_notes',
  'dropoff_name',
  'dropoff_phone_number',
  'dropoff_email',
  'dropoff_unit',
  'dropoff_notes',
];

function edited(before: AnyDelivery, after: AnyDelivery): string[] {
  const [was, is] = [before, after].map(
    (each) => new Map(Object.entries({ ...each, ...each.dropoffs[0], ...each.details })),
  );
  return editable
    .filter((field) => was?.get(field) !== is?.get(field))
    .map((field) => field.replaceAll('_', ' '));
}
