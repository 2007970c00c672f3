import { setTimeout as pause } from 'node:timers/promises';
import type { ClockState } from '../../src/service/runtime/service-clock.ts';
import { claimsNow, stillHeld } from './claims.ts';
import type { Reader } from './database-reader.ts';
import type { ServerProcess } from './server-process.ts';

const courierWork = "kind in ('quote.ask', 'dispatch.ask')";

/** The number of due calls to couriers. */
async function dueCalls(database: Reader): Promise<number> {
  const [clock] = await database.rows<{ value: string }>("select value from settings where key = 'clock'");
  const due = `select count(*) as count from tasks where ${courierWork} and due_at <= ${serviceTime(clock?.value)}`;
  const [row] = await database.rows<{ count: number }>(due);
  return row?.count ?? 0;
}

/** The service time after a restart: an interrupted advance continues to its end. */
function serviceTime(clock: string | undefined): number {
  if (clock === undefined) return Date.now();
  const { service_at, base_at, rate, advance }: ClockState = JSON.parse(clock);
  if (advance !== null) return advance.target ?? service_at;
  return service_at + (Date.now() - base_at) * rate;
}

/** The number of calls to couriers so far, by their responses and records. */
async function callsSoFar(database: Reader, books: Reader): Promise<number> {
  const counts = await Promise.all([
    database.rows<{ last: number | null }>('select max(rowid) as last from quotes'),
    database.rows<{ last: number | null }>('select max(rowid) as last from quote_declines'),
    books.rows<{ last: number | null }>('select max(sequence) as last from courier_entries'),
  ]);
  return counts.reduce((sum, [row]) => sum + (row?.last ?? 0), 0);
}

/**
 * Milliseconds until a process has called a courier and has taken over the previous one's work: since its start, and
 * since it was ready.
 */
export interface FirstCall {
  since_start: number;
  since_ready: number;
}

const poll_interval_ms = 4;

/** Waits for that; null if the process dies first, or if no call is due. To be started before the process. */
export async function firstCall(
  database: Reader,
  books: Reader,
): Promise<(server: ServerProcess) => Promise<FirstCall | null>> {
  if ((await dueCalls(database)) === 0) return async () => null;
  const before = await callsSoFar(database, books);
  let held = await claimsNow(database);
  return async (server) => {
    while (!server.isOver()) {
      held = await stillHeld(database, held);
      if (held.length === 0 && (await callsSoFar(database, books)) > before) {
        const at = performance.now();
        // A process may work before it reports that it is ready.
        return { since_start: at - server.started_at, since_ready: at - (server.ready_since() ?? at) };
      }
      await pause(poll_interval_ms);
    }
    return null;
  };
}
