import type { WireResponse, WireStream } from '../../src/contract/operation.ts';
import type { EventType } from '../../src/contract/vocabulary.ts';
import type { Connection, Flag } from '../../src/storage/database.ts';
import { insertEvent } from '../../src/storage/events.ts';
import { type Fixture, start } from './fixture.ts';

/** One block of a stream as sent. */
export interface Block {
  id: string | undefined;
  event: string | undefined;
  data: string | undefined;
  text: string;
}

/** Reads a raw stream, without the client. */
export interface Reader {
  /** The next events; other blocks are skipped. */
  take(count: number): Promise<Block[]>;
  /** The next block of any kind; null at the end. */
  block(): Promise<Block | null>;
  /** The next chunk of text; null at the end. */
  chunk(): Promise<string | null>;
  close(): void;
}

export function streamOf({ status, body, stream }: WireResponse): WireStream {
  if (stream === undefined) throw new Error(`no stream, but ${status} ${body}`);
  return stream;
}

export function readerOf(response: WireResponse): Reader {
  const stream = streamOf(response);
  const chunks = stream.chunks[Symbol.asyncIterator]();
  let rest = '';
  const chunk = async () => {
    const { done, value } = await chunks.next();
    return done === true ? null : value;
  };
  const block = async (): Promise<Block | null> => {
    while (!rest.includes('\n\n')) {
      const more = await chunk();
      if (more === null) return null;
      rest += more;
    }
    const end = rest.indexOf('\n\n');
    const text = rest.slice(0, end);
    rest = rest.slice(end + 2);
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];
    return { id: field('id'), event: field('event'), data: field('data'), text };
  };
  const take = async (count: number): Promise<Block[]> => {
    const taken: Block[] = [];
    while (taken.length < count) {
      const next = await block();
      if (next === null) throw new Error(`the stream ended after ${taken.length} of ${count} events`);
      if (next.data !== undefined) taken.push(next);
    }
    return taken;
  };
  return { take, block, chunk, close: stream.close };
}

export interface Written {
  id: string;
  account_id: string;
  test_mode?: Flag;
  type?: EventType;
  delivery_id?: string | null;
  batch_id?: string | null;
  created_at?: number;
}

/** Writes an event directly, like another process. */
export async function write(db: Connection, written: Written): Promise<void> {
  const rest = { type: 'order.failed' as const, delivery_id: null, batch_id: null, created_at: start };
  await insertEvent(db, {
    test_mode: 1,
    order_id: null,
    sequence: null,
    data: '{"object":"order"}',
    ...rest,
    ...written,
  });
}

/** Writes a number of events, and returns their ids. */
export async function writeMany(
  fixture: Pick<Fixture, 'storage'>,
  count: number,
  from = 0,
): Promise<string[]> {
  const account_id = await accountOf(fixture);
  const ids = Array.from({ length: count }, (_, index) => eventId(from + index));
  await fixture.storage.transaction(async (db) => {
    for (const id of ids) await write(db, { id, account_id });
  });
  return ids;
}

/** The id of the only account. */
export async function accountOf({ storage }: Pick<Fixture, 'storage'>): Promise<string> {
  const { id } = await storage.run((db) => db.selectFrom('accounts').select('id').executeTakeFirstOrThrow());
  return id;
}

export function eventId(number: number): string {
  return `evt_${String(number).padStart(26, '0')}`;
}
