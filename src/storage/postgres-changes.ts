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

/** Begins the notification with which a process checks its own connection; others have written nothing then. */
const check_prefix = 'check ';

/** The connection on which a process hears of the writes of others. It connects on the first call of `received`. */
export class ChangeListener {
  readonly #pool: pg.Pool;
  readonly #createClient: () => pg.Client;
  /** Marks the notifications of this process. */
  #token = '';
  #client: pg.Client | null = null;
  #mayConnect = true;
  #isHearing = false;
  /** Whether the latest check was heard. */
  #isChecked = false;
  #isClosed = false;
  #count = 0;

  /** `createClient` makes a connection outside of the pool. */
  constructor(pool: pg.Pool, createClient: () => pg.Client) {
    this.#pool = pool;
    this.#createClient = createClient;
  }

  /** The number of notifications of other processes; null while they cannot be received. */
  received(): number | null {
    if (this.#client === null && this.#mayConnect) void this.#connect();
    return this.#isHearing ? this.#count : null;
  }

  /** Notifies the other processes. */
  async announce(): Promise<void> {
    await this.#pool.query('select pg_notify($1, $2)', [channel, this.#token]);
  }

  close(): void {
    this.#isClosed = true;
    this.#mayConnect = false;
    if (this.#client !== null) this.#drop(this.#client);
  }

  async #connect(): Promise<void> {
    const client = this.#createClient();
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

  #drop(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#isHearing = false;
    this.#mayConnect = false;
    later(reconnect_ms, () => {
      this.#mayConnect = !this.#isClosed;
    });
    client.end().catch(() => {});
    // A silent server does not close the connection.
    client.connection.stream.destroy();
  }
}
