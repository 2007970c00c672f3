/**
 * Runs as a separate process: the service with two accounts and couriers that take live orders too. They answer at once,
 * or, with `slow`, over a network, and take 4.5 s for each booking of the second account. Prints the address and the keys
 * of both, and runs until it is killed. Arguments: the database, the couriers' records, `slow` or nothing.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { simulatedProviders } from '../../src/providers/directory.ts';
import type { Provider } from '../../src/providers/port.ts';
import { openAdministration } from '../../src/service/administration.ts';
import { createCourierRecords } from '../../src/service/runtime/system.ts';
import { startServer } from '../../src/service/server.ts';
import { openStorage } from '../../src/storage/open-storage.ts';

const way_ms = 50;
const slow_booking_ms = 4_500;

const [database = '', books = '', speed = ''] = process.argv.slice(2);
const is_remote = speed === 'slow';
let slow_account = '';

const courier = (provider: Provider): Provider => ({
  ...provider,
  is_remote,
  answer_delay_ms: 0,
  isAvailable: () => true,
  ...(is_remote && {
    quotes_at_once: false,
    quote: async (request) => {
      await pause(way_ms);
      return provider.quote(request);
    },
    create: async (request) => {
      await pause(request.account_id === slow_account ? slow_booking_ms : way_ms);
      return provider.create(request);
    },
  }),
});

const { url, keys } = await startServer({
  host: '127.0.0.1',
  port: 0,
  database,
  publicUrl: null,
  sandbox: true,
  seed: null,
  log: (line) => {
    if (line.type === 'fault') console.error(line.fault);
  },
  parts: { providers: simulatedProviders(createCourierRecords(await openStorage(books))).map(courier) },
});
const administration = await openAdministration(database, 'bench');
const known = (await administration.list()).find(({ name }) => name === 'Neighbour');
const created = known === undefined ? await administration.create('Neighbour') : null;
slow_account = known?.id ?? created?.id ?? '';
const keyOf = (mode: string) => created?.keys.find((each) => each.mode === mode)?.key;
await administration.close();
console.log(JSON.stringify({ url, keys, neighbour: { test: keyOf('test'), live: keyOf('live') } }));
