import type { CourierEntryRow, DispatchRow } from '../../src/storage/database.ts';
import type { Reader } from '../kills/database-reader.ts';

/** What is wrong with the records at the end of the evening, by rule; empty where all is well. */
export async function recordFaults(database: Reader, couriers: Reader): Promise<Record<string, unknown[]>> {
  const faults: Record<string, unknown[]> = {};
  for (const [rule, statement] of Object.entries(rules)) faults[rule] = await database.rows(statement);
  faults['a courier carries what the service has dispatched, once'] = await carriageFaults(
    database,
    couriers,
  );
  return Object.fromEntries(Object.entries(faults).filter(([, rows]) => rows.length > 0));
}

const paid = "sum(case when c.kind in ('delivery', 'tip') then c.amount else 0 end)";
const refunded = "sum(case when c.kind = 'refund' then -c.amount else 0 end)";
const field = (name: string) => `coalesce((d.record::json ->> '${name}')::bigint, 0)`;

/** Statements that find what must not be. */
const rules: Readonly<Record<string, string>> = {
  'an order is in an end state': `select id, status from orders
    where status not in ('dispatched', 'unfulfilled', 'failed', 'canceled')`,
  'a delivery has ended': 'select * from deliveries where ended_at is null',
  'a dispatched order has a delivery': `select o.id from orders o left join deliveries d on d.id = o.delivery_id
    where o.status = 'dispatched' and d.id is null`,
  'an order is accepted once': `select order_id, count(*) from deliveries d
    where status <> 'failed' group by order_id having count(*) > 1`,
  'a batch is complete': "select id, status from batches where status <> 'complete'",
  'an order of a batch has an outcome': "select order_id from batch_orders where status = 'pending'",
  'no work is left': 'select kind, subject from tasks',
  'no webhook is left': 'select status, count(*) from webhook_messages group by status',
  'no dispatch is open': "select id from dispatches where state = 'asking'",
  'no request is running': "select key from idempotency_keys where state = 'running'",
  'a delivery is paid once': `select delivery_id, kind, count(*) from charges
    where kind in ('delivery', 'tip') group by delivery_id, kind having count(*) > 1`,
  'the charges of a delivery are its amounts': `select d.id, d.status, ${paid} as paid, ${refunded} as refunded
    from deliveries d left join charges c on c.delivery_id = d.id
    group by d.id, d.status, d.record
    having ${paid} is distinct from (case when d.record::json ->> 'failure_reason' = 'payment_declined' then 0
      else ${field('payment_amount')} + ${field('tip')} end)
    or ${refunded} is distinct from ${field('refunded_amount')}`,
  'a charge has a delivery of its account': `select c.id from charges c left join deliveries d
    on d.id = c.delivery_id and d.account_id = c.account_id where d.id is null`,
  'a delivery belongs to the account of its order': `select d.id from deliveries d join orders o on o.id = d.order_id
    where o.account_id <> d.account_id`,
  'an event belongs to the account of its delivery': `select e.id from events e join deliveries d
    on d.id = e.delivery_id where e.account_id <> d.account_id`,
  'the events of a delivery are numbered without a gap': `select d.id, count(*), max(e.sequence) from deliveries d
    join events e on e.delivery_id = d.id and e.type in ('delivery.created', 'delivery.updated')
    group by d.id, d.record
    having count(*) <> max(e.sequence) or count(distinct e.sequence) <> count(*) or count(*) <> ${field('event_count')}`,
};

/** What a courier accepted too late for the service is canceled at the courier. */
async function carriageFaults(database: Reader, couriers: Reader): Promise<string[]> {
  const dispatches = await database.rows<DispatchRow>('select * from dispatches');
  const entries = await couriers.rows<CourierEntryRow>('select * from courier_entries order by sequence');
  const known = new Map(dispatches.map((dispatch) => [dispatch.id, dispatch]));
  const own = Map.groupBy(entries, ({ reference }) => reference);
  const faults = [...own.keys()].filter((id) => !known.has(id)).map((id) => `${id} is not known`);
  for (const dispatch of dispatches) {
    const kinds = (own.get(dispatch.id) ?? []).map(({ kind }) => kind);
    const created = kinds.filter((kind) => kind === 'created').length;
    const isCarried = created > 0 && (dispatch.state === 'accepted' || !kinds.includes('canceled'));
    if (created > 1 || isCarried !== (dispatch.state === 'accepted'))
      faults.push(`${JSON.stringify(dispatch)} has at its courier: ${kinds.join()}`);
  }
  return faults;
}
