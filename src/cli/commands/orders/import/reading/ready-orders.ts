import type { Layout } from '../source.ts';

/** Which orders of a shop's export wait for a courier: those that are known to, by their status and shipping method. */

/** Why an order is left out, as in `3 orders (picked up by the customer)`, and the text that says so. */
export interface LeftOut {
  left_out: string;
  detail?: string;
}

/** Statuses of orders that are paid, or whose payment is secured. */
export const paidStatuses = ['paid', 'authorized', 'partially refunded'];

/** Statuses of orders that wait for their delivery, entirely or in part. */
export const unfulfilledStatuses = ['unfulfilled', 'partial', 'partially fulfilled', 'pending'];

/** As Square's interface and its Dashboard call them. */
export const squareStatuses = ['proposed', 'new', 'reserved', 'in progress', 'prepared', 'ready', 'active'];

/** `processing` is an order that is paid; the others are those of plugins. */
export const wooStatuses = [
  ...['processing', 'ready to ship', 'ready for delivery'],
  ...['awaiting shipment', 'awaiting fulfillment'],
];

/**
 * Null for a status that is known to be ready, or that the user names. A list of those that are not would miss the
 * statuses of other languages and of plugins. An export may leave the status out.
 */
export function statusReason(status: string, ready: readonly string[], { statuses }: Layout): LeftOut | null {
  const found = foldedStatus(status);
  const isTaken = found === '' || ready.includes(found) || statuses.map(foldedStatus).includes(found);
  return isTaken ? null : { left_out: `status "${status}"` };
}

/** `wc-on-hold` and `On hold` are one status. */
function foldedStatus(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^wc-/, '')
    .replace(/[\s_-]+/g, ' ');
}

/** Words for a pickup by the customer, in the languages of shops in the USA and of the plugins' translations. */
const pickupWords = new RegExp(
  [
    String.raw`\b(pick[- ]?ups?(?! truck)|collect(ion)?|curb ?side|will[- ]call|in[- ]store|carry[- ]?out`,
    'take[- ]?(out|away)|dine[- ]in|recog(er|ida)|recojo|retir(o|ada|ar)|ramassage|retrait|abholung|selbstabhol\\w*',
    String.raw`ritiro|afhal(en|ing|punt))\b`,
  ].join('|'),
  'i',
);

/** Carriers and services of parcels. */
const postWords = new RegExp(
  [
    String.raw`\b(usps|ups|fed ?ex|dhl|ontrac|lasership|purolator|priority mail|first[- ]class|media mail`,
    'ground advantage|parcel select|(canada|an|australia|deutsche) post|royal mail|by (mail|post)|postal|postage',
    String.raw`mail|international|freight|correos?|colissimo|mondial relay|la poste|postnl|hermes|evri|dpd|gls)\b`,
  ].join('|'),
  'i',
);

/**
 * Why orders with this shipping method are left out; null for one that is not named as a pickup or as post. A method
 * that `--only` names by its column is wanted.
 */
export function methodReason(method: string, { only }: Layout, column: string | null): LeftOut | null {
  if (only.some(([header]) => header.trim().toLowerCase() === column?.toLowerCase())) return null;
  const words = method.replaceAll('_', ' ').normalize('NFD').replace(/\p{M}/gu, '');
  if (pickupWords.test(words)) return { left_out: 'picked up by the customer', detail: method };
  return postWords.test(words) ? { left_out: 'sent by post', detail: method } : null;
}

/** Amounts are dollars, and deliveries are in the USA. */
export function currencyReason(currency: string): LeftOut | null {
  return /^(usd)?$/i.test(currency) ? null : { left_out: `currency ${currency}` };
}
