import { records } from '../../../client/pages.ts';
import type { Charge } from '../../../contract/charges.ts';
import { dollars } from '../../../domain/money.ts';
import type { Context } from '../../session/command.ts';

/** The cost of an order over all its deliveries, in cents: each attempt, oldest first, and their sum. */
export interface OrderCost {
  paid: number;
  attempts: { delivery_id: string; paid: number }[];
}

/** All charges of a delivery, or of all deliveries of an order, newest first. */
export async function chargesOf(
  { client }: Pick<Context, 'client'>,
  query: { delivery_id: string } | { order_id: string },
): Promise<Charge[]> {
  const { charges } = await client();
  const found: Charge[] = [];
  for await (const charge of records(charges.list, { ...query, limit: 100 })) found.push(charge);
  return found;
}

export function costOf(charges: readonly Charge[]): OrderCost {
  const paid = new Map<string, number>();
  for (const { delivery_id, amount } of charges.toReversed())
    paid.set(delivery_id, (paid.get(delivery_id) ?? 0) + amount);
  const attempts = [...paid].map(([delivery_id, amount]) => ({ delivery_id, paid: amount }));
  return { paid: attempts.reduce((sum, each) => sum + each.paid, 0), attempts };
}

/** `The order cost $11.52 in all: dlv_1 $2.99, dlv_2 $8.53.` */
export function costText({ paid, attempts }: OrderCost): string {
  const parts = attempts.map((each) => `${each.delivery_id} ${dollars(each.paid)}`);
  return `The order cost ${dollars(paid)} in all: ${parts.join(', ')}.`;
}
