import type {
  AttemptRow,
  BatchOrderRow,
  BatchRow,
  ChargeRow,
  CourierEntryRow,
  DeliveryRow,
  DispatchRow,
  EventRow,
  OrderRow,
  QuoteRow,
  TaskRow,
} from '../../src/storage/database.ts';
import { unpackJson } from '../../src/storage/event-codec.ts';
import type { Reader } from './database-reader.ts';

/** Everything stored about a batch, in the service's database and by the couriers. */
export interface BatchRecords {
  batch: BatchRow;
  entries: BatchOrderRow[];
  orders: OrderRow[];
  tries: AttemptRow[];
  deliveries: DeliveryRow[];
  dispatches: (DispatchRow & { order_id: string })[];
  quotes: Pick<QuoteRow, 'id' | 'cost_of_delivery' | 'service_fee'>[];
  charges: ChargeRow[];
  events: EventRow[];
  /** The remaining tasks of the batch's orders and routes. */
  tasks: TaskRow[];
  /** The couriers' records of these dispatches. */
  courier_entries: CourierEntryRow[];
}

export async function readBatchRecords(
  database: Reader,
  books: Reader,
  batch_id: string,
): Promise<BatchRecords> {
  const { rows } = database;
  const orders = `select order_id from batch_orders where batch_id = '${batch_id}'`;
  const deliveries = `select id from deliveries where order_id in (${orders})`;
  const routes = `select route_id from deliveries where order_id in (${orders})`;
  const [batch] = await rows<BatchRow>(`select * from batches where id = '${batch_id}'`);
  if (batch === undefined) throw new Error(`there is no batch ${batch_id}`);
  const dispatches = await rows<BatchRecords['dispatches'][number]>(
    `select s.*, d.order_id from dispatches s join deliveries d on d.route_id = s.route_id
     where d.order_id in (${orders}) order by s.id`,
  );
  const references = new Set(dispatches.map(({ id }) => id));
  const written = await books.rows<CourierEntryRow>('select * from courier_entries order by sequence');
  const events = await rows<Omit<EventRow, 'data'> & { data: Uint8Array }>(
    `select * from events where batch_id = '${batch_id}' or delivery_id in (${deliveries}) order by position`,
  );
  return {
    batch,
    dispatches,
    courier_entries: written.filter(({ reference }) => references.has(reference)),
    entries: await rows(`select * from batch_orders where batch_id = '${batch_id}' order by position`),
    orders: await rows(`select * from orders where batch_id = '${batch_id}'`),
    tries: await rows(`select * from tries where batch_id = '${batch_id}' order by order_id, number`),
    deliveries: await rows(`select * from deliveries where order_id in (${orders})`),
    quotes: await rows(
      `select id, cost_of_delivery, service_fee from quotes
       where id in (select quote_id from dispatches where route_id in (${routes}))`,
    ),
    charges: await rows(`select * from charges where delivery_id in (${deliveries})`),
    events: events.map((row) => ({ ...row, data: unpackJson(row.data) })),
    tasks: await rows(
      `select * from tasks where subject in (${orders}) or subject in
       (select route_id from tries where batch_id = '${batch_id}')`,
    ),
  };
}

/** Records without a batch: orders, and dispatches that are unknown to the service. */
export async function unknownRecords(database: Reader, books: Reader, batch_ids: readonly string[]) {
  const known = new Set(
    (await database.rows<{ id: string }>('select id from dispatches')).map(({ id }) => id),
  );
  const written = await books.rows<CourierEntryRow>("select * from courier_entries where kind = 'created'");
  const orders = await database.rows<OrderRow>('select id, batch_id from orders');
  const batches = await database.rows<BatchRow>('select id from batches');
  return [
    ...batches.filter(({ id }) => !batch_ids.includes(id)).map(({ id }) => `batch ${id} was made twice`),
    ...orders
      .filter(({ batch_id }) => batch_id === null || !batch_ids.includes(batch_id))
      .map(({ id }) => `order ${id} is of no batch that was sent`),
    ...written
      .filter(({ reference }) => !known.has(reference))
      .map(({ provider, reference }) => `${provider} carries ${reference}, which the service does not know`),
  ];
}
