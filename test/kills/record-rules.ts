import type { CourierEntryRow, DispatchRow } from '../../src/storage/database.ts';
import type { Reader } from './database-reader.ts';

/**
 * What is wrong with the records of a service, by rule; empty where all is well. `couriers` has the books of simulated
 * couriers, if they carried all; rules in `except` do not hold yet.
 */
export async function recordFaults(
  database: Reader,
  { couriers, except = [] }: { couriers: Reader | null; except?: readonly string[] },
): Promise<Record<string, unknown[]>> {
  const faults: Record<string, unknown[]> = {};
  for (const [rule, statement] of Object.entries(rulesFor(database)))
    if (!except.includes(rule)) faults[rule] = await database.rows(statement);
  if (couriers !== null)
    faults['a courier carries what the service has dispatched, once'] = await carriageFaults(
      database,
      couriers,
    );
  return Object.fromEntries(Object.entries(faults).filter(([, rows]) => rows.length > 0));
}

const paid = "sum(case when c.kind in ('delivery', 'tip') then c.amount else 0 end)";
const refunded = "sum(case when c.kind = 'refund' then -c.amount else 0 end)";

/** Statements that find what must not be. */
function rulesFor({ json }: Reader): Readonly<Record<string, string>> {
  const field = (name: string) => `coalesce(cast(${json('d.record', name)} as bigint), 0)`;
  return {
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
    having ${paid} is distinct from (case when ${json('d.record', 'failure_reason')} = 'payment_declined' then 0
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
    'a delivery costs its quote': `select d.id from deliveries d join dispatches s on s.route_id = d.route_id
    join quotes q on q.id = s.quote_id
    where ${field('payment_amount')} <> q.cost_of_delivery + q.service_fee
    and not exists (select 1 from deliveries o where o.route_id = d.route_id and o.id <> d.id)`,
    'an order without an outcome at a courier has no delivery': `select d.id from deliveries d
    join orders o on o.id = d.order_id where d.status <> 'failed' and o.status in ('failed', 'unfulfilled')`,
    'a failed delivery costs nothing': `select d.id from deliveries d join charges c on c.delivery_id = d.id
    where d.status = 'failed' group by d.id having sum(c.amount) <> 0`,
  };
}

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
