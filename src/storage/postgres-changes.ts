/**
 * Processes that share a database tell each other with NOTIFY that they have written something. They say it from time to
 * time, not in each transaction: the server commits those that notify one after the other.
 */
import { sql } from 'kysely';
import type pg from 'pg';
import type { Connection } from './database.ts';
import { later } from './ports/pause.ts';
import { type PostgresPool, shortage_ms } from './postgres-connection.ts';

const channel = 'waybill_changes';
/** The wait before a broken connection is replaced. */
const reconnect_ms = 5_000;
/** How often the listening connection is checked, and how long its answer may take. */
const check_ms = 10_000;
const answer_ms = 5_000;

/** Begins the notification with which a process checks its own connection; others have written nothing then. */
const check_prefix = 'check ';

/** The connection on which a process hears of the writes of others. It connects on the first call of `received`. */
export class ChangeListener {
  readonly #pool: PostgresPool;
  /** Marks the notifications of this process. */
  #token = '';
  #client: pg.Client | null = null;
  #mayConnect = true;
  #isHearing = false;
  /** Whether the latest check was heard. */
  #isChecked = false;
  #isClosed = false;
  #count = 0;

  /** Listens on a connection outside of the pool, which it gives up for one in the pool. */
  constructor(pool: PostgresPool) {
    this.#pool = pool;
    pool.onExhausted(() => {
      if (this.#client === null) return false;
      this.#drop(this.#client, shortage_ms);
      return true;
    });
  }

  /** The number of notifications of other processes; null while they cannot be received. */
  received(): number | null {
    if (this.#client === null && this.#mayConnect) void this.#connect();
    return this.#isHearing ? this.#count : null;
  }

  /** Notifies the other processes. */
  async announce(db: Connection): Promise<void> {
    await sql`select pg_notify(${channel}, ${this.#token})`.execute(db);
  }

  close(): void {
    this.#isClosed = true;
    this.#mayConnect = false;
    if (this.#client !== null) this.#drop(this.#client);
  }

  async #connect(): Promise<void> {
    const client = this.#pool.createClient();
    this.#client = client;
    client.on('error', () => this.#drop(client));
    client.on('end', () => this.#drop(client));
    client.on('notification', ({ payload = '' }) => this.#hear(payload));
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      const { rows } = await client.query<{ token: string }>('select gen_random_uuid()::text as token');
      this.#token = rows[0]?.token ?? '';
      this.#check(client);
    } catch {
      this.#drop(client);
    }
  }

  #hear(payload: string): void {
    if (this.#token !== '' && payload === check_prefix + this.#token) {
      // A pooler between may accept LISTEN without effect: the own first check shows that it works.
      this.#isHearing = true;
      this.#isChecked = true;
    } else if (payload !== this.#token && !payload.startsWith(check_prefix)) {
      this.#count += 1;
    }
  }

  /** A connection can fall silent without an end or an error, so it must receive a notification of its own again. */
  #check(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#isChecked = false;
    client
      .query('select pg_notify($1, $2)', [channel, check_prefix + this.#token])
      .catch(() => this.#drop(client));
    later(answer_ms, () => {
      if (this.#client === client && !this.#isChecked) this.#drop(client);
    });
    later(check_ms, () => this.#check(client));
  }

  #drop(client: pg.Client, wait_ms = reconnect_ms): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#isHearing = false;
    this.#mayConnect = false;
    later(wait_ms, () => {
      this.#mayConnect = !this.#isClosed;
    });
    client.end().catch(() => {});
    // A silent server does not close the connection.
    client.connection.stream.destroy();
  }
}
