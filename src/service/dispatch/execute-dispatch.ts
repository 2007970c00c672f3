import type { FailureReason } from '../../contract/vocabulary.ts';
import { failureMessages } from '../../domain/delivery-states.ts';
import { type CreateAnswer, type CreateRequest, ProviderFault } from '../../providers/port.ts';
import { markUnsettled } from '../../storage/dispatches.ts';
import { askedOrder, courierOrders, scenarioOf } from '../quotes/quote-request.ts';
import type { ServiceContext, Task, TaskKind } from '../runtime/context.ts';
import { together } from '../runtime/together.ts';
import { withTimeout } from '../runtime/with-timeout.ts';
import { dispatchIdOf, type LoadedIntent, loadIntent } from './load-intent.ts';
import { type Outcome, recordAnswer } from './record-answer.ts';

export const dispatchTask: TaskKind = { run: executeDispatch, abandon: abandonDispatch };

/**
 * Sends a dispatch to its provider and records the response once. After an earlier attempt, whose response may be
 * lost, it first looks the dispatch up at the provider. Rejects if the provider does not respond.
 */
async function executeDispatch(service: ServiceContext, task: Task): Promise<void> {
  const loaded = await loadIntent(service, task);
  if (loaded === null) {
    return recordAnswer(service, task, refusalOf('provider_not_connected'));
  }
  const isAdvancing = service.clock.state().advance !== null;
  const answer = await (isAdvancing ? answerInOrder : answerOf)(service, { task, loaded });
  if (answer.kind === 'unknown') throw new Unsettled(answer.reason);
  await recordAnswer(service, task, answer);
}

interface Execution {
  task: Task;
  loaded: LoadedIntent;
}

/**
 * Resolves when all dispatches that started together are answered, so that their answers are recorded in the order of
 * their tasks: an advance of the clock is repeatable.
 */
const answerInOrder = together(async (service: ServiceContext, executions: readonly Execution[]) => {
  const answers = new Map(executions.map((execution) => [execution, answerOf(service, execution)]));
  await Promise.allSettled(answers.values());
  return (execution) => answers.get(execution) ?? answerOf(service, execution);
});

async function answerOf(
  service: ServiceContext,
  { task, loaded }: Execution,
): Promise<Outcome | CreateAnswer> {
  const { provider, outage, hasEnded } = loaded;
  if (hasEnded) return canceledBefore;
  if (outage?.state === 'down') throw new ProviderFault(`${provider.name} is down`);
  const before = task.row.claim === 0 ? null : await findEarlier(service, task, loaded);
  return before ?? (await sendDispatch(service, task, loaded));
}

async function sendDispatch(
  service: ServiceContext,
  task: Task,
  loaded: LoadedIntent,
): Promise<CreateAnswer> {
  const { provider, outage } = loaded;
  if (outage?.state === 'no_capacity') {
    return { kind: 'refused', reason: `${provider.name} has no courier available` };
  }
  await task.renew();
  service.crash('provider.before_send');
  const answer = await withTimeout(
    service,
    provider.create(createRequest(service, task, loaded)),
    limitOf(loaded),
  );
  service.crash('provider.after_accept');
  return answer;
}

/** The outcome of an earlier attempt, whose response may be lost; null if the provider does not know it. */
function findEarlier(
  service: ServiceContext,
  task: Task,
  loaded: LoadedIntent,
): Promise<CreateAnswer | null> {
  return withTimeout(service, loaded.provider.find(createRequest(service, task, loaded)), limitOf(loaded));
}

/** A provider with a time limit books the orders of a route one after the other: the limit is for each order. */
function limitOf({ provider: { time_limit_ms }, orders }: LoadedIntent) {
  return time_limit_ms === undefined ? {} : { time_limit_ms: time_limit_ms * orders.length };
}

function createRequest(service: ServiceContext, task: Task, loaded: LoadedIntent): CreateRequest {
  const { dispatch, route, orders, tips, quote_references } = loaded;
  const asked = orders.map((order) => askedOrder(order, tips.get(order.id)));
  return {
    account_id: route.account_id,
    test_mode: route.test_mode === 1,
    key: dispatch.provider_key,
    reference: dispatch.id,
    route_id: route.id,
    quote_id: dispatch.quote_id,
    quote_references,
    orders: courierOrders(asked, task.now),
    driver_id: driverIn(task),
    now: task.now,
    scenario: scenarioOf(asked.map(({ record }) => record)),
    renew: task.renew,
    crash: service.crash,
  };
}

/** The driver that the dispatch names; null without one. */
function driverIn(task: Task): string | null {
  const { driver_id = null }: { driver_id?: string | null } = JSON.parse(task.row.payload);
  return driver_id;
}

function refusalOf(code: FailureReason): Outcome {
  return { kind: 'refused', reason: failureMessages[code], code };
}

const noAnswer: Outcome = { ...refusalOf('provider_unreachable'), isUncertain: true };
const canceledBefore: Outcome = {
  kind: 'refused',
  reason: 'it was canceled before the dispatch',
  isUncertain: true,
};

/** Ends a dispatch after its last attempt: records the provider's state, or a failure if it cannot be read. */
async function abandonDispatch(service: ServiceContext, task: Task): Promise<void> {
  const loaded = await loadIntent(service, task);
  const found = loaded === null ? null : await findEarlier(service, task, loaded).catch(() => null);
  if (found?.kind === 'unknown') return requirePerson(service, task, found.reason);
  await recordAnswer(service, task, found ?? noAnswer);
}

/** Only a person can find out whether the provider carries the route. */
class Unsettled extends ProviderFault {
  override readonly name = 'Unsettled';
}

/** Keeps the task as a failed one: a retry looks for the outcome again. */
async function requirePerson(service: ServiceContext, task: Task, unsettled: string): Promise<never> {
  const id = dispatchIdOf(task);
  await service.storage.run((db) => markUnsettled(db, { id, unsettled, now: task.now }));
  throw new Unsettled(unsettled);
}
