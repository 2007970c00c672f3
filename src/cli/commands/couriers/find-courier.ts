import type { Client } from '../../../client/client.ts';
import type { Courier } from '../../../contract/couriers.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { invocation } from '../../kit/result/message.ts';

/** All couriers that can be connected, with their state. */
export async function allCouriers(client: Client): Promise<Courier[]> {
  return (await client.couriers.list()).data.data;
}

/** A courier by its name. Throws `courier_unknown`. */
export async function findCourier(client: Client, name: string): Promise<Courier> {
  const all = await allCouriers(client);
  const found = all.find((courier) => courier.name === name);
  if (found !== undefined) return found;
  throw new Failure(5, 'courier_unknown', `There is no courier ${name} to connect.`, {
    choices: all.map((courier) => courier.name),
    next: [{ ...invocation('couriers list'), when: 'List the couriers' }],
  });
}
