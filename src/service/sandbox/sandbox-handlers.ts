/** The handlers that only test mode has: scenarios, outages of simulated couriers, steps of a delivery, and the reset. */
import { Problem } from '../../contract/errors.ts';
import type {
  getProvider,
  getSandboxSettings,
  listScenarios,
  listSteps,
  resetSandbox as resetOperation,
  SandboxProvider,
  Steps,
  takeStep as stepOperation,
  updateProvider,
  updateSandboxSettings,
} from '../../contract/sandbox.ts';
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { isScenario, type Scenario, scenarioNames, scenarios } from '../../domain/scenarios.ts';
import { findAccount, writeAccountSettings } from '../../storage/accounts.ts';
import type { Connection } from '../../storage/database.ts';
import { deleteTestRecords } from '../../storage/deletion.ts';
import { restartCount } from '../../storage/settings.ts';
import { deliveryFor, lockDeliveryFor } from '../deliveries/delivery.ts';
import { type CarriedDelivery, legalSteps, loadCarried, reportStep } from '../dispatch/courier-steps.ts';
import { invalidField } from '../http/answers.ts';
import type { Call, CallBase, Handler } from '../http/handler.ts';
import { requireSandbox, unknownSimulation } from '../http/simulation-header.ts';
import {
  type Choice,
  findOutage,
  type Outage,
  readAccountSettings,
  settingsText,
  withChoice,
} from '../runtime/account-settings.ts';
import { selectSimulated } from '../runtime/courier-connections.ts';
import { chooseSeed } from '../runtime/random.ts';
import { instantOrNull } from '../runtime/time.ts';
import { finishedAdvance } from './advance.ts';
import { mayMoveClock, requireClockOwner, retryOnClockChange } from './clock.ts';

const ordinary_slow_seconds = 30;

export const everyScenario: Handler<typeof listScenarios> = async (call) => {
  requireSandbox(call, 'The list of scenarios');
  const data = Object.entries(scenarios).map(([name, { number, happens, money }]) => ({
    name,
    number,
    happens,
    money,
  }));
  return { object: 'scenarios', data };
};

export const readSandboxSettings: Handler<typeof getSandboxSettings> = async (call) => {
  requireSandbox(call, 'The sandbox');
  return { object: 'sandbox_settings', default_scenario: call.caller.settings.default_scenario };
};

export const changeSandboxSettings: Handler<typeof updateSandboxSettings> = async (call) => {
  requireSandbox(call, 'The sandbox');
  const default_scenario = scenarioNamed(call.body.default_scenario ?? null);
  const settings = await call.commit(async (db) => {
    await chooseSettings(db, call, () => ({ default_scenario }));
    return { object: 'sandbox_settings' as const, default_scenario };
  });
  call.service.forgetCallers();
  return settings;
};

function scenarioNamed(name: string | null): Scenario | null {
  if (name === null || isScenario(name)) return name;
  throw unknownSimulation(name, scenarioNames, 'default_scenario');
}

/** Changes the account's settings in a transaction, based on their current values. */
async function chooseSettings(
  db: Connection,
  { caller }: CallBase,
  choiceOf: (outages: Record<string, Outage>) => Choice,
): Promise<void> {
  const row = await findAccount(db, caller.scope);
  if (row === undefined)
    throw new Problem('record_not_found', 'The account of this API key no longer exists.');
  const settings = readAccountSettings(row);
  await writeAccountSettings(
    db,
    caller.scope,
    settingsText(withChoice(settings, choiceOf(settings.outages))),
  );
}

export const readProvider: Handler<typeof getProvider> = async (call) => {
  requireProvider(call, call.params.name);
  return providerView(call.params.name, findOutage(call.caller.settings, call.params.name, call.now));
};

export const changeProvider: Handler<typeof updateProvider> = async (call) => {
  const { name } = call.params;
  requireProvider(call, name);
  const outage = outageIn(call);
  const provider = await call.commit(async (db) => {
    await chooseSettings(db, call, (before) => {
      const { [name]: _, ...others } = before;
      return { outages: outage === null ? others : { ...others, [name]: outage } };
    });
    return providerView(name, outage);
  });
  call.service.forgetCallers();
  return provider;
};

/** Throws `simulation_not_allowed`, and `record_not_found` for an unknown provider. */
function requireProvider(call: CallBase, name: string): void {
  requireSandbox(call, 'A simulated provider');
  const choices = selectSimulated(call.service.providers).map((provider) => provider.name);
  if (choices.includes(name)) return;
  const message = `There is no provider ${name}; expected ${choices.join(' or ')}.`;
  throw new Problem('record_not_found', message, [], { choices });
}

/** The requested outage; null for a healthy provider. */
function outageIn({ body, now }: Call<typeof updateProvider>): Outage | null {
  const { state, slow_seconds, for_seconds } = body;
  if (slow_seconds !== undefined && state !== 'slow')
    throw invalidField('slow_seconds', 'applies to the state slow only');
  if (state === 'up') {
    if (for_seconds !== undefined) throw invalidField('for_seconds', 'applies to an outage only');
    return null;
  }
  return {
    state,
    slow_seconds: state === 'slow' ? (slow_seconds ?? ordinary_slow_seconds) : null,
    until: for_seconds === undefined ? null : now + for_seconds * 1000,
  };
}

function providerView(name: string, outage: Outage | null): SandboxProvider {
  const { state, slow_seconds, until } = outage ?? { state: 'up', slow_seconds: null, until: null };
  return { object: 'sandbox_provider', name, state, slow_seconds, until: instantOrNull(until) };
}

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

/**
 * Deletes all test records of the account except its keys, audit entries and webhook endpoints, and resets the clock to
 * real time, without going back, if the account may move it. A running advance is ended without being finished, so that
 * an error in it cannot prevent the reset.
 */
export const resetSandbox: Handler<typeof resetOperation> = async (call) => {
  requireSandbox(call, 'The reset of the sandbox');
  if (call.body.seed !== undefined) await requireClockOwner(call);
  const isOwner = await mayMoveClock(call);
  const { service, caller, body } = call;
  const { clock, wall } = service;
  const answer = await service.mutex.run(() =>
    retryOnClockChange(call, (from) =>
      call.commit(async (db) => {
        const { advance } = from;
        const end = { more: true, now: clock.now(), wall_now: wall.now() };
        const finished = advance === null ? from.finished : await finishedAdvance(db, advance, end);
        const deleted = await deleteTestRecords(db, caller.scope.account_id, call.request_key);
        await chooseSettings(db, call, () => ({ default_scenario: null, outages: {} }));
        if (body.seed !== undefined) await chooseSeed(db, 1, body.seed);
        await restartCount(db, caller.scope);
        if (isOwner) await clock.reset(db, from, finished);
        return { object: 'sandbox_reset' as const, deleted };
      }),
    ),
  );
  service.forgetCallers();
  service.wakeup.notify();
  return answer;
};
