import { setTimeout as pause } from 'node:timers/promises';
import { simulatedProviders } from '../../src/providers/directory.ts';
import type { Provider } from '../../src/providers/port.ts';
import { createCourierRecords } from '../../src/service/runtime/system.ts';
import { startServer } from '../../src/service/server.ts';
import { openStorage } from '../../src/storage/open-storage.ts';

export const way_ms = 50;

/** A courier behind a slow network. `booking_ms`: how long a booking of an account takes. */
export function remoteCourier(
  provider: Provider,
  booking_ms: (account_id: string) => number = () => way_ms,
): Provider {
  const late = async <T>(answer: () => Promise<T>, ms = way_ms): Promise<T> => {
    await pause(ms);
    return answer();
  };
  return {
    ...provider,
    is_remote: true,
    answer_delay_ms: 0,
    quotes_at_once: false,
    quote: (request) => late(() => provider.quote(request)),
    create: (request) => late(() => provider.create(request), booking_ms(request.account_id)),
    find: (reference) => late(() => provider.find(reference)),
  };
}

/** Starts a sandbox service on a database, with changed couriers whose records are in another. */
export async function startWithCouriers(
  { database, books }: { database: string; books: string },
  courier: (provider: Provider) => Provider,
) {
  const providers = simulatedProviders(createCourierRecords(await openStorage(books))).map(courier);
  return startServer({
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
}
