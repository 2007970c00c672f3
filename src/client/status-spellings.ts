import { batchStatuses, deliveryStatuses, orderStatuses, routeStatuses } from '../contract/vocabulary.ts';

/** The statuses of each kind of record, by the title of its schema. */
const statusesOf: Readonly<Record<string, readonly string[]>> = {
  Delivery: deliveryStatuses,
  Order: orderStatuses,
  Route: routeStatuses,
  DispatchedRoute: routeStatuses,
  Batch: batchStatuses,
  BatchSummary: batchStatuses,
};

/** Other words for the same status, without spaces and case. */
const synonyms: Readonly<Record<string, string>> = {
  pickedup: 'pickup_complete',
  pickupcompleted: 'pickup_complete',
  dropoffcompleted: 'dropoff_complete',
};

/**
 * Spells a status as the contract does: `DELIVERED`, `Enroute-Dropoff` and `PICKED UP` are known statuses. An unknown
 * one is written in lower case with underscores.
 */
export function statusAsInContract(title: string, text: string): string {
  const known = statusesOf[title];
  if (known === undefined || known.includes(text)) return text;
  const letters = lettersOf(text);
  const found = known.find((each) => lettersOf(each) === letters);
  if (found !== undefined) return found;
  const synonym = Object.hasOwn(synonyms, letters) ? synonyms[letters] : undefined;
  if (synonym !== undefined && known.includes(synonym)) return synonym;
  return text
    .trim()
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
}

/** `provider_cancelled`, `Provider Canceled` and `providerCanceled` are the same. */
function lettersOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_-]+/g, '')
    .replace('cancelled', 'canceled');
}
