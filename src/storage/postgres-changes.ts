import type pg from 'pg';
import { later } from './ports/pause.ts';

// Processes that share a database tell each other with NOTIFY that they have written something. They say it from time
// to time, not in each transaction: the server commits those that notify one after the other.

const channel = 'waybill_changes';
/** The wait before a broken connection is replaced. */
const reconnect_ms = 5_000;
/** How often the listening connection is checked, and how long its answer may take. */
const check_ms = 10_000;
const answer_ms = 5_000;

/** The connection on which a process hears of the writes of others. */
interface ChangeListener {
  /** The number of notifications of other processes; null while they cannot be received. */
  received: () => number | null;
  /** Notifies the other processes. */
  announce: () => Promise<void>;
  close: () => void;
}

/** Begins the notification with which a process checks its own connection; others have written nothing then. */
const check_prefix = 'check ';

/** Connects on the first call of `received`. `createClient` makes a connection outside of the pool. */
export function createChangeListener(pool: pg.Pool, createClient: () => pg.Client): ChangeListener {
  /** Marks the notifications of this process. */
  let token = '';
  let client: pg.Client | null = null;
  let mayConnect = true;
  let isHearing = false;
  /** Whether the latest check was heard. */
  let isChecked = false;
  let isClosed = false;
  let count = 0;
  const announce = async () => {
    await pool.query('select pg_notify($1, $2)', [channel, token]);
  };
  const drop = (broken: pg.Client) => {
    if (client !== broken) return;
    client = null;
    isHearing = false;
    mayConnect = false;
    later(reconnect_ms, () => {
      mayConnect = !isClosed;
    });
    broken.end().catch(() => {});
    // A silent server does not close the connection.
    broken.connection.stream.destroy();
  };
  /** A connection can fall silent without an end or an error, so it must receive a notification of its own again. */
  const check = (checked: pg.Client) => {
    if (client !== checked) return;
    isChecked = false;
    checked.query('select pg_notify($1, $2)', [channel, check_prefix + token]).catch(() => drop(checked));
    later(answer_ms, () => {
      if (client === checked && !isChecked) drop(checked);
    });
    later(check_ms, () => check(checked));
  };
  const connect = async () => {
    const opened = createClient();
    client = opened;
    opened.on('error', () => drop(opened));
    opened.on('end', () => drop(opened));
    opened.on('notification', ({ payload = '' }) => {
      if (token !== '' && payload === check_prefix + token) {
        // A pooler between may accept LISTEN without effect: the own first check shows that it works.
        isHearing = true;
        isChecked = true;
      } else if (payload !== token && !payload.startsWith(check_prefix)) {
        count += 1;
      }
    });
    try {
      await opened.connect();
      await opened.query(`listen ${channel}`);
      const { rows } = await opened.query<{ token: string }>('select gen_random_uuid()::text as token');
      token = rows[0]?.token ?? '';
      check(opened);
    } catch {
      drop(opened);
    }
  };
  return {
    announce,
    received: () => {
      if (client === null && mayConnect) void connect();
      return isHearing ? count : null;
    },
    close: () => {
      isClosed = true;
      mayConnect = false;
      if (client !== null) drop(client);
    },
  };
}
