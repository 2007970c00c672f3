/** The notes below a list of deliveries: how many orders they are of, and how many are returns or late. */
import type { AnyDelivery } from '../../../contract/deliveries.ts';
import { expandStatusNames } from '../../../contract/vocabulary.ts';
import { promiseIn } from '../../../domain/lateness.ts';
import { dollars } from '../../../domain/money.ts';
import { isRescheduled } from '../../../domain/status-words.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { chargedTotal } from '../../nouns/delivery.ts';

/** The statuses of what failed, went back or was canceled. */
export const badEnds: readonly string[] = expandStatusNames(['failed', 'canceled']);

/** Collects the listed deliveries, and says how many orders they are of where several are of one, and what bad ends cost. */
export function listedTries({ search, isSorted }: { search: string | undefined; isSorted: boolean }) {
  const listed: AnyDelivery[] = [];
  return {
    onListed: (delivery: AnyDelivery) => {
      listed.push(delivery);
    },
    notes: () => [
      ...costNotes(listed),
      ...(isSorted
        ? []
        : [
            ...triesNotes(listed),
            ...returnNotes(listed),
            ...rescheduledNotes(listed),
            ...searchNotes(listed, search),
          ]),
    ],
  };
}

/** Says how many of the listed deliveries are late already, and how many only will be. */
export function listedLate(now: () => number) {
  const promises: number[] = [];
  return {
    onListed: (delivery: AnyDelivery) => {
      promises.push(Date.parse(promiseIn(delivery) ?? ''));
    },
    notes: (): Text[] => {
      const late = promises.filter((at) => at < now()).length;
      const coming = promises.length - late;
      if (coming === 0) return [];
      const already = late === 0 ? 'None is late yet:' : `${late} ${late === 1 ? 'is' : 'are'} late now,`;
      return [`${already} ${coming} will be.`];
    },
  };
}

export const periodOfPromise = 'A period of late ones is that of the promise.';

/** Says whose time the period is: what was ordered in it may be promised for later. An empty list says it by itself. */
export function listedLateOfPeriod() {
  let count = 0;
  return {
    onListed: () => {
      count += 1;
    },
    notes: (): Text[] => (count === 0 ? [] : [periodOfPromise]),
  };
}

/** Each word of a search may match anywhere: the customer may have the first name, and the driver the last one. */
function searchNotes(listed: readonly AnyDelivery[], search = ''): Text[] {
  const isMixed = ({ details }: AnyDelivery) => details?.matched?.includes(' and ') === true;
  const mixed = listed.filter(isMixed).length;
  if (mixed === 0 || mixed === listed.length) return [];
  // Quotes within the value would end it, and no name has them.
  const name = search.replace(/["“”]/g, '').trim();
  const customer = invocation('deliveries list', [], { filter: `dropoff_name ~ "${name}"` });
  return [
    phrase`${mixed} of these ${listed.length} have the words in different fields, as MATCHED says. One customer: ${customer}`,
  ];
}

/** A report counts deliveries on the way back as failed. */
function returnNotes(listed: readonly AnyDelivery[]): Text[] {
  const back = listed.filter(({ status }) => status === 'enroute_to_return').length;
  if (back === 0 || back === listed.length) return [];
  return [
    `${back} of these ${listed.length} ${back === 1 ? 'is still on its' : 'are still on their'} way back to the store: waybill report counts ${back === 1 ? 'it' : 'them'} as failed.`,
  ];
}

/** The total cost of a list in which every delivery failed or was canceled. */
function costNotes(listed: readonly AnyDelivery[]): string[] {
  if (listed.length < 2 || !listed.every(({ status }) => badEnds.includes(status))) return [];
  const sum = (of: (delivery: AnyDelivery) => number | null) =>
    listed.reduce((total, each) => total + (of(each) ?? 0), 0);
  const [cost, back] = [sum(chargedTotal), sum(givenBack)];
  const parts = back === 0 ? '' : `: ${dollars(cost + back)} charged, ${dollars(back)} given back`;
  return [`These ${listed.length} cost ${dollars(cost)}${parts}.`];
}

/** The refunds of a delivery in cents; with --charged only those of the period, like its cost. */
function givenBack({ details, refunded_amount }: AnyDelivery): number {
  return details?.charges === undefined ? refunded_amount : -details.charges.refund;
}

/** What was canceled only to be sent at another time is listed with what was canceled; reports count the order it is of. */
function rescheduledNotes(listed: readonly AnyDelivery[]): Text[] {
  const count = listed.filter(isRescheduled).length;
  if (count === 0 || count === listed.length) return [];
  return [
    `${count} of these ${listed.length} ${count === 1 ? 'was' : 'were'} rescheduled: sent again at another time, neither failed nor canceled in a report.`,
  ];
}

function triesNotes(listed: readonly AnyDelivery[]): Text[] {
  const orders = [...Map.groupBy(listed, ({ order_id, id }) => order_id || id).values()];
  const [most = []] = orders.toSorted((a, b) => b.length - a.length);
  const [last] = most;
  if (last === undefined || most.length < 2) return [];
  const of = `These ${listed.length} deliveries are of`;
  if (orders.length === 1)
    return [phrase`${of} 1 order. How it ended: ${invocation('deliveries explain', [last.order_id])}`];
  const tries = invocation('deliveries list', [], { search: last.order_id });
  const named = oneLine(last.external_order_ref) || 'One';
  return [phrase`${of} ${orders.length} orders. ${named} has ${most.length} of them: ${tries}`];
}
