/**
 * Runs as a separate process: the service with two accounts and couriers that take live orders too. They answer at once,
 * or, with `slow`, over a network, and take 4.5 s for each booking of the second account. Prints the address and the keys
 * of both, and runs until it is killed. Arguments: the database, the couriers' records, `slow` or nothing.
 */
import type { Provider } from '../../src/providers/port.ts';
import { openAdministration } from '../../src/service/administration.ts';
import { remoteCourier, startWithCouriers, way_ms } from './remote-couriers.ts';

const slow_booking_ms = 4_500;

const [database = '', books = '', speed = ''] = process.argv.slice(2);
let slow_account = '';

const courier = (provider: Provider): Provider => {
  const live = { ...provider, is_remote: false, answer_delay_ms: 0, isAvailable: () => true };
  return speed === 'slow'
    ? remoteCourier(live, (account_id) => (account_id === slow_account ? slow_booking_ms : way_ms))
    : live;
};

const { url, keys } = await startWithCouriers({ database, books }, courier);
const administration = await openAdministration(database, 'bench');
const known = (await administration.list()).find(({ name }) => name === 'Neighbour');
const created = known === undefined ? await administration.create('Neighbour') : null;
slow_account = known?.id ?? created?.id ?? '';
const keyOf = (mode: string) => created?.keys.find((each) => each.mode === mode)?.key;
await administration.close();
console.log(JSON.stringify({ url, keys, neighbour: { test: keyOf('test'), live: keyOf('live') } }));
