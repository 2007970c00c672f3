import { type Script, scriptOf } from '../../domain/scenarios.ts';
import {
  type CancelAnswer,
  type CancelRequest,
  type CourierRecords,
  type CreateAnswer,
  type CreateRequest,
  ProviderBusy,
  ProviderFault,
  type RecordEntry,
} from '../port.ts';
import { cancelAnswer } from './cancellation.ts';
import type { Courier } from './couriers.ts';

/** A courier with its records. */
export interface RecordingCourier {
  courier: Courier;
  records: CourierRecords;
}

type Fault = NonNullable<Script['dispatch']>['fault'];

/**
 * Accepts or refuses a route and records it. On a repeat with the same key, an idempotent courier returns its first
 * response; any other accepts the route again. Rejects if the scenario says so.
 */
export async function acceptRoute(
  { courier, records }: RecordingCourier,
  request: CreateRequest,
): Promise<CreateAnswer> {
  const before = await records.named(courier.name, request.key);
  const fault = faultOf(request, before);
  if (fault === null || fault === 'lost_after_accepting') {
    const first = courier.idempotent_create ? firstAnswer(before) : null;
    const answer = first ?? answerTo(courier, request);
    if (first === null) await records.enter(answeredEntry(courier, request, answer));
    if (fault === null) return answer;
  }
  await records.enter({ ...entryOf(courier, request), kind: 'fault', answer: null });
  throw thrownFor[fault](courier);
}

/** A courier's recorded response to a dispatch; null if it does not know it. */
export async function findAnswer(
  { courier, records }: RecordingCourier,
  reference: string,
): Promise<CreateAnswer | null> {
  return firstAnswer(await records.about(courier.name, reference));
}

/** Cancels a delivery once; a refusal is evaluated again on a repeat. */
export async function cancelOnce(
  { courier, records }: RecordingCourier,
  request: CancelRequest,
): Promise<CancelAnswer> {
  const { reference, order_id, now: entered_at } = request;
  const name = `cancel:${reference}:${order_id}`;
  const before = await records.named(courier.name, name);
  const first = before.flatMap((entry) => (entry.kind === 'canceled' ? [entry.answer] : [])).at(0);
  const answer = first ?? cancelAnswer(courier, request);
  if (first !== undefined || answer.kind === 'refused') return answer;
  await records.enter({ provider: courier.name, reference, name, kind: 'canceled', answer, entered_at });
  return answer;
}

function firstAnswer(entries: readonly RecordEntry[]): CreateAnswer | null {
  const answers = entries.flatMap((entry) =>
    entry.kind === 'created' || entry.kind === 'refused' ? [entry.answer] : [],
  );
  return answers.at(0) ?? null;
}

/** How the courier fails this time; null if it responds. */
function faultOf({ scenario }: CreateRequest, before: readonly RecordEntry[]): Fault | null {
  const { dispatch } = scriptOf(scenario);
  const times = before.filter(({ kind }) => kind === 'fault').length;
  return dispatch === undefined || times >= dispatch.times ? null : dispatch.fault;
}

const lost = ({ name }: Courier) =>
  new ProviderFault(`the connection to ${name} was lost before it responded`);

const thrownFor: Readonly<Record<Fault, (courier: Courier) => ProviderFault>> = {
  error: ({ name }) => new ProviderFault(`${name} answers 503`),
  lost_after_accepting: lost,
  lost_before_accepting: lost,
  busy: ({ name }) => new ProviderBusy(`${name} answers 429`, 2),
};

function answerTo({ name }: Courier, { reference, scenario }: CreateRequest): CreateAnswer {
  if (scriptOf(scenario).capacity !== 'none') return { kind: 'accepted', reference };
  return { kind: 'refused', reason: `${name} has no courier available` };
}

function answeredEntry(courier: Courier, request: CreateRequest, answer: CreateAnswer): RecordEntry {
  const kind = answer.kind === 'accepted' ? 'created' : 'refused';
  return { ...entryOf(courier, request), kind, answer };
}

function entryOf({ name: provider }: Courier, { key: name, reference, now: entered_at }: CreateRequest) {
  return { provider, reference, name, entered_at };
}
