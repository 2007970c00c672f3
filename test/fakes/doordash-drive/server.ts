import { parseFields } from '../../../src/providers/json-messages.ts';
import { type FakeAnswer, type FakeRequest, fakeHttp } from '../fake-http.ts';
import { type DoorDashStatus, FakeDeliveries } from './deliveries.ts';
import { type ErrorOnDemand, errorsOnDemand, unauthenticated } from './errors.ts';
import { eventOf, outputOf } from './events.ts';
import { tokenProblem } from './tokens.ts';

/**
 * DoorDash Drive as its OpenAPI document of version 2.1.59 describes it, and its reference of webhooks. Nothing
 * progresses by itself: as in the real sandbox, deliveries are stepped by hand.
 */
export async function doorDashDrive(options: { now?: () => number } = {}) {
  const { now = Date.now } = options;
  const credentials = {
    developer_id: 'dev-1',
    key_id: 'key-1',
    signing_secret: 'c2lnbmluZy1zZWNyZXRfLS1fLQ',
  };
  const deliveries = new FakeDeliveries(now);
  const received: FakeRequest[] = [];
  const planned: Plan[] = [];

  const server = await fakeHttp((request) => {
    received.push(request);
    const problem = tokenProblem(request.headers.authorization, credentials, now());
    if (problem !== null) return unauthenticated(problem);
    const plan = takePlan(planned, request);
    if (plan?.kind === 'error') return errorsOnDemand[plan.error];
    if (plan?.kind === 'answer') return plan.answer;
    const answer = route(request, deliveries);
    return plan?.kind === 'lost' ? null : answer;
  });

  return {
    url: server.url,
    port: server.port,
    close: server.close,
    credentials,
    deliveries,
    /** The requests so far, such as `POST /drive/v2/quotes`. */
    calls: () => received.map(({ method, path }) => `${method} ${path}`),
    lastBody: () => parseFields(received.at(-1)?.body ?? ''),
    /** Answers the next request of a method with an error. */
    failNext: (method: string, error: ErrorOnDemand) => planned.push({ kind: 'error', method, error }),
    answerNext: (method: string, answer: FakeAnswer) => planned.push({ kind: 'answer', method, answer }),
    /** Executes the next request of a method and closes the connection without an answer. */
    loseNext: (method: string) => planned.push({ kind: 'lost', method }),
    /** Moves a delivery to a status. Gives the body of its event; null if DoorDash sends none. */
    step: async (id: string, status: DoorDashStatus, more: Readonly<Record<string, unknown>> = {}) =>
      change(deliveries, id, status, more, now()),
  };
}

export type DoorDashDrive = Awaited<ReturnType<typeof doorDashDrive>>;

type Plan = { method: string } & (
  | { kind: 'error'; error: ErrorOnDemand }
  | { kind: 'answer'; answer: FakeAnswer }
  | { kind: 'lost' }
);

function takePlan(planned: Plan[], { method }: FakeRequest): Plan | undefined {
  const index = planned.findIndex((plan) => plan.method === method);
  return index < 0 ? undefined : planned.splice(index, 1)[0];
}

function route({ method, path, body }: FakeRequest, deliveries: FakeDeliveries): FakeAnswer {
  const fields = parseFields(body);
  const [, id = '', rest = ''] = /^\/drive\/v2\/(?:quotes|deliveries)\/([^/]+)\/?(.*)$/.exec(path) ?? [];
  const operation = id === '' ? `${method} ${path}` : `${method} ${path.replace(id, '{id}')}`;
  if (rest.includes('/')) return { status: 404 };
  switch (operation) {
    case 'POST /drive/v2/quotes':
      return deliveries.quote(fields);
    case 'POST /drive/v2/quotes/{id}/accept':
      return deliveries.accept(id, fields);
    case 'POST /drive/v2/deliveries':
      return deliveries.create(fields);
    case 'GET /drive/v2/deliveries/{id}':
      return deliveries.read(id);
    case 'PATCH /drive/v2/deliveries/{id}':
      return deliveries.update(id, fields);
    case 'PUT /drive/v2/deliveries/{id}/cancel':
      return deliveries.cancel(id);
    case 'GET /developer/v1/businesses':
      return {
        status: 200,
        body: { result: [{ external_business_id: 'default', is_test: true }], result_count: 1 },
      };
    default:
      return { status: 404 };
  }
}

function change(
  deliveries: FakeDeliveries,
  id: string,
  status: DoorDashStatus,
  more: Readonly<Record<string, unknown>>,
  now: number,
): string | null {
  const known = deliveries.get(id);
  if (known === undefined) throw new Error(`DoorDash has no delivery ${id}`);
  const updated_at = new Date(now).toISOString();
  const output = { ...known.output, ...outputOf(status, now), updated_at, ...more };
  const changed = { ...known, status, output };
  deliveries.set(id, changed);
  return eventOf(changed, now);
}
