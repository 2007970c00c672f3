import { Problem } from '../contract/errors.ts';
import type { listSteps, Steps, takeStep as stepOperation } from '../contract/sandbox.ts';
import type { DeliveryStatus } from '../contract/vocabulary.ts';
import { nextStatuses } from '../domain/delivery-states.ts';
import type { Connection, DeliveryRow, DispatchRow } from '../storage/database.ts';
import { dispatchesOfRoute } from '../storage/dispatches.ts';
import { loadRoute } from '../storage/routes.ts';
import { acceptedRoute, ordersOfRoute } from './accepted-route.ts';
import { deliveryFor } from './deliveries.ts';
import type { Call, Handler } from './endpoint.ts';
import { receiveReport } from './reports.ts';
import { requireSandbox } from './simulation.ts';

/** The statuses that the delivery's courier could report now. */
export const readSteps: Handler<typeof listSteps> = async (call) => {
  requireSandbox(call, 'Stepping a delivery');
  return call.service.storage.run(async (db) => {
    const row = await deliveryFor(db, call, call.params.delivery_id);
    return stepsView(row, await dispatchOf(db, row));
  });
};

/** Has the courier report a status now. Throws `step_not_legal` with the steps that are. */
export const takeStep: Handler<typeof stepOperation> = async (call) => {
  requireSandbox(call, 'Stepping a delivery');
  const chance = await call.service.chance();
  return call.commit(async (db) => {
    const row = await deliveryFor(db, call, call.params.delivery_id);
    const dispatch = await dispatchOf(db, row);
    const { data } = stepsView(row, dispatch);
    if (dispatch === null || !data.includes(call.body.status)) throw notLegal(row, call.body.status, data);
    const moving = { db, chance, now: call.now, providers: call.service.providers };
    const report = await reportOf(db, call, { row, dispatch });
    return stepsView(await receiveReport(moving, row, report), dispatch);
  });
};

/** A merchant's own moves are no steps of a courier. */
const merchants: readonly DeliveryStatus[] = ['customer_canceled', 'disputed'];

function stepsView(row: DeliveryRow, dispatch: DispatchRow | null): Steps {
  const isCarried = dispatch?.state === 'accepted';
  const data = isCarried ? nextStatuses(row.status).filter((status) => !merchants.includes(status)) : [];
  return { object: 'steps', delivery_id: row.id, status: row.status, data };
}

async function dispatchOf(db: Connection, { route_id }: DeliveryRow): Promise<DispatchRow | null> {
  return (await dispatchesOfRoute(db, route_id)).at(-1) ?? null;
}

function notLegal(
  { id, status }: DeliveryRow,
  wanted: DeliveryStatus,
  legal: readonly DeliveryStatus[],
): Problem {
  const there = legal.length === 0 ? 'no step can be taken there' : `there is ${legal.join(', ')}`;
  return new Problem('step_not_legal', `Delivery ${id} is ${status} and cannot step to ${wanted}: ${there}.`);
}

async function reportOf(
  db: Connection,
  call: Call<typeof stepOperation>,
  { row, dispatch }: { row: DeliveryRow; dispatch: DispatchRow },
) {
  const route = await loadRoute(db, row.route_id);
  const provider = call.service.providers.find(({ name }) => name === row.service);
  if (route === undefined || provider === undefined) throw new Error(`nobody carries delivery ${row.id}`);
  const orders = await ordersOfRoute(db, route);
  const accepted = acceptedRoute(
    await call.service.chance(),
    { route, orders, dispatch },
    dispatch.updated_at,
  );
  return provider.reportOf(accepted, { order_id: row.order_id, status: call.body.status, now: call.now });
}
