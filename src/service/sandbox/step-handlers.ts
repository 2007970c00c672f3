import { Problem } from '../../contract/errors.ts';
import type { listSteps, Steps, takeStep as stepOperation } from '../../contract/sandbox.ts';
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { deliveryFor, lockDeliveryFor } from '../deliveries/delivery-handlers.ts';
import { type CarriedDelivery, legalSteps, loadCarried, reportStep } from '../dispatch/courier-steps.ts';
import type { Handler } from '../http/handler.ts';
import { requireSandbox } from '../http/simulation-header.ts';

/** The statuses that the delivery's courier could report now. */
export const readSteps: Handler<typeof listSteps> = async (call) => {
  requireSandbox(call, 'Stepping a delivery');
  return call.service.storage.read(async (db) => {
    const row = await deliveryFor(db, call, call.params.delivery_id);
    return stepsView(await loadCarried(db, row, call.service.providers));
  });
};

/** Makes the courier report a status now, and continue from there. Throws `step_not_legal` with the possible steps. */
export const takeStep: Handler<typeof stepOperation> = async (call) => {
  requireSandbox(call, 'Stepping a delivery');
  const chance = await call.service.chance();
  return call.commit(async (db) => {
    const { status } = call.body;
    const { providers } = call.service;
    const row = await lockDeliveryFor(db, call, call.params.delivery_id);
    const carried = await loadCarried(db, row, providers);
    if (!legalSteps(carried).includes(status)) throw notLegal(carried, status);
    const context = { db, chance, now: call.now, providers };
    return stepsView({ ...carried, row: await reportStep(context, carried, status) });
  }, 'read committed');
};

function stepsView(carried: CarriedDelivery): Steps {
  const { id, status } = carried.row;
  return { object: 'steps', delivery_id: id, status, data: legalSteps(carried) };
}

function notLegal(carried: CarriedDelivery, wanted: DeliveryStatus): Problem {
  const { id, status } = carried.row;
  const legal = legalSteps(carried);
  const there = legal.length === 0 ? 'no step is possible' : `possible steps are ${legal.join(', ')}`;
  return new Problem('step_not_legal', `Delivery ${id} is ${status} and cannot step to ${wanted}: ${there}.`);
}
