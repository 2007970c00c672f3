import type { CreateAnswer } from '../providers/port.ts';
import { chargesOfDelivery, insertCharges } from '../storage/charges.ts';
import type { Connection, DeliveryRow, RouteRow } from '../storage/database.ts';
import { deliveriesOfRoute, updateDelivery } from '../storage/deliveries.ts';
import { findDispatch, settleDispatch } from '../storage/dispatches.ts';
import { moveOrder } from '../storage/orders.ts';
import { loadRoute, moveRoute } from '../storage/routes.ts';
import type { ServiceContext } from './context.ts';
import { type DeliveryRecord, deliveryRecord } from './delivery-view.ts';
import { newId } from './ids.ts';
import { answered } from './patience.ts';
import type { Chance } from './ports/chance.ts';
import type { Task } from './tasks.ts';

/**
 * Asks the provider to carry a route and writes its answer down, once; after an earlier try, whose answer may be
 * lost, it first finds out what became of that. Rejects when the provider does not answer.
 */
export async function handOver(service: ServiceContext, task: Task): Promise<void> {
  const { dispatch, route, provider } = await intentOf(service, task);
  if (dispatch === undefined || route === undefined || provider === undefined) {
    return settle(service, task, { kind: 'refused', reason: 'the provider is no longer connected' });
  }
  const before = task.row.attempts === 0 ? null : await answered(service, provider.find(dispatch.id));
  if (before !== null) return settle(service, task, before);
  const asked = provider.create({
    key: dispatch.provider_key,
    reference: dispatch.id,
    route_id: route.id,
    quote_id: dispatch.quote_id,
    now: task.now,
    test_mode: route.test_mode === 1,
  });
  await settle(service, task, await answered(service, asked));
}

const silent: CreateAnswer = { kind: 'refused', reason: 'the provider did not answer' };

/** After the last try: what became of it, if that can be found out, else nothing is carried and all is given back. */
export async function abandonDispatch(service: ServiceContext, task: Task): Promise<void> {
  const { dispatch, provider } = await intentOf(service, task);
  const looking = dispatch === undefined || provider === undefined ? null : provider.find(dispatch.id);
  const found = looking === null ? null : await answered(service, looking).catch(() => null);
  await settle(service, task, found ?? silent);
}

async function intentOf({ storage, providers }: ServiceContext, task: Task) {
  const { dispatch_id }: { dispatch_id: string } = JSON.parse(task.row.payload);
  return storage.run(async (db) => {
    const dispatch = await findDispatch(db, dispatch_id);
    const route = await loadRoute(db, task.row.subject);
    return { dispatch, route, provider: providers.find(({ name }) => name === dispatch?.provider) };
  });
}

async function settle(service: ServiceContext, task: Task, answer: CreateAnswer): Promise<void> {
  const chance = await service.chance();
  const { dispatch, route } = await intentOf(service, task);
  await service.storage.transaction(async (transaction) => {
    await task.finish(transaction);
    if (dispatch === undefined || route === undefined) return;
    const { now } = task;
    const reason = answer.kind === 'refused' ? answer.reason : null;
    if (!(await settleDispatch(transaction, { id: dispatch.id, to: answer.kind, reason, now }))) return;
    if (reason !== null) await failRoute(transaction, route, { reason, now, chance });
  });
}

interface Failure {
  reason: string;
  now: number;
  chance: Chance;
}

/** Seed 3.3: not sent to a provider is `failed`, and any payment is fully refunded. */
async function failRoute(db: Connection, route: RouteRow, failure: Failure): Promise<void> {
  const { now } = failure;
  for (const delivery of await deliveriesOfRoute(db, route.id)) {
    await failDelivery(db, delivery, failure);
    await moveOrder(db, { id: delivery.order_id, from: 'dispatched', to: 'failed', now });
  }
  await moveRoute(db, { id: route.id, from: 'dispatched', to: 'completed', now });
}

async function failDelivery(db: Connection, delivery: DeliveryRow, failure: Failure): Promise<void> {
  const { reason, now, chance } = failure;
  const charges = await chargesOfDelivery(db, delivery.id);
  const paid = charges.reduce((sum, { amount }) => sum + amount, 0);
  const record = deliveryRecord(delivery);
  const failed: DeliveryRecord = {
    ...record,
    failure_reason: reason,
    refunded_amount: record.refunded_amount + paid,
    status_history: [...record.status_history, { status: 'failed', at: now }],
  };
  const change = { status: 'failed', record: JSON.stringify(failed) } as const;
  const from = ['delivery_created', 'scheduled'] as const;
  if (!(await updateDelivery(db, { id: delivery.id, from, change, now })) || paid === 0) return;
  await insertCharges(db, [
    {
      id: newId(chance, 'chg', now, delivery.id, 'refund'),
      account_id: delivery.account_id,
      test_mode: delivery.test_mode,
      delivery_id: delivery.id,
      kind: 'refund',
      amount: -paid,
      created_at: now,
    },
  ]);
}
