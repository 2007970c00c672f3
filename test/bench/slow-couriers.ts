/**
 * Runs as a separate process: the service with couriers that respond over a network with a delay of 50 ms. Prints the
 * address and the test key, and runs until it is killed. Arguments: the database, the couriers' records.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { simulatedProviders } from '../../src/providers/directory.ts';
import type { Provider } from '../../src/providers/port.ts';
import { createCourierRecords } from '../../src/service/runtime/system.ts';
import { startServer } from '../../src/service/server.ts';
import { openStorage } from '../../src/storage/open-storage.ts';

const way_ms = 50;

/** The same courier behind a slow network. */
function remote(provider: Provider): Provider {
  const late = async <T>(answer: () => Promise<T>): Promise<T> => {
    await pause(way_ms);
    return answer();
  };
  return {
    ...provider,
    is_remote: true,
    answer_delay_ms: 0,
    quotes_at_once: false,
    quote: (request) => late(() => provider.quote(request)),
    create: (request) => late(() => provider.create(request)),
    find: (reference) => late(() => provider.find(reference)),
  };
}

const [database = '', books = ''] = process.argv.slice(2);
const providers = simulatedProviders(createCourierRecords(await openStorage(books))).map(remote);
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
  parts: { providers },
});
console.log(JSON.stringify({ url, keys }));
