import type { Scenario } from '../../../src/domain/scenarios.ts';
import { deliveryQuotes, startedDelivery } from '../delivery-runs.ts';
import { type Fixture, orderRequest } from '../fixture.ts';
import type { Refusal } from '../refusal-cases.ts';

const post = (fixture: Fixture, path: string, body: unknown, headers: Record<string, string> = {}) =>
  fixture.send('POST', path, { body, headers });

/** A request for a delivery of a given age. */
function about(
  { scenario = 'happy_path', minutes = 0 }: { scenario?: Scenario; minutes?: number },
  send: (fixture: Fixture, id: string) => ReturnType<Fixture['send']>,
): Refusal['send'] {
  return async (fixture) => {
    const { id } = await startedDelivery(fixture.client(), scenario);
    await fixture.pass(minutes * 60_000);
    return send(fixture, id);
  };
}

/** A request to do something with a new delivery. */
const toDo = (verb: string, body: object = {}) =>
  about({}, (fixture, id) => post(fixture, `/v1/delivery/${id}/${verb}`, body));

const toEdit = (body: object, minutes = 0) =>
  about({ minutes }, (fixture, id) => fixture.send('PATCH', `/v1/delivery/${id}`, { body }));

/** A request to resolve a dispute in this way, after those that are taken. */
const toResolve = (body: object, before: readonly object[] = []) =>
  about({ minutes: day }, async (fixture, id) => {
    const path = `/v1/delivery/${id}/dispute`;
    await post(fixture, path, { reason: 'Broken' });
    for (const each of before) await post(fixture, `${path}/resolve`, each);
    return post(fixture, `${path}/resolve`, body);
  });

const day = 24 * 60;

/** The errors of version 1 and of the sandbox. */
export const deliveryRefusals: Refusal[] = [
  {
    name: 'initiating a delivery that has begun',
    code: 'delivery_not_initiable',
    says: /is waiting for a driver: only a delivery in status request/,
    send: toDo('initiate'),
  },
  {
    name: 'initiating a delivery that has begun, with a quote that no longer exists',
    code: 'delivery_not_initiable',
    says: /is waiting for a driver: only a delivery in status request/,
    send: toDo('initiate', { quote_id: 'quo_01ARZ3NDEKTSV4RRFFQ69G5FAV' }),
  },
  {
    name: 'trying a delivery again that is under way',
    code: 'delivery_not_initiable',
    says: /only a failed or canceled delivery/,
    send: toDo('retry'),
  },
  {
    name: 'trying a delivery again that was tried again',
    code: 'delivery_not_initiable',
    says: /not the latest/,
    send: about({ scenario: 'payment_declined_once' }, async (fixture, id) => {
      await post(fixture, `/v1/delivery/${id}/retry`, {});
      return post(fixture, `/v1/delivery/${id}/retry`, {});
    }),
  },
  {
    name: 'canceling what is delivered',
    code: 'delivery_not_cancelable',
    says: /is delivered and can no longer be canceled/,
    send: about({ minutes: day }, (fixture, id) => post(fixture, `/v1/delivery/${id}/cancel`, {})),
  },
  {
    name: 'canceling a dispatched order whose courier refuses',
    code: 'delivery_not_cancelable',
    says: /cannot be canceled: .*picked/,
    send: about({ scenario: 'cancel_race' }, async (fixture, id) => {
      const { data } = await fixture.client().deliveries.get({ params: { deliveryid: id } });
      return post(fixture, `/v2/orders/${data.order_id}/cancel`, undefined);
    }),
  },
  {
    name: 'canceling as the operator without an admin key',
    code: 'unauthorized',
    says: /admin permission/,
    send: about({}, async (fixture, id) => {
      const { data } = await fixture.client().keys.create({ body: { permission: 'write' } });
      const headers = { 'x-api-key': data.key ?? '' };
      return post(fixture, `/v1/delivery/${id}/cancel`, { operator: true }, headers);
    }),
  },
  {
    name: 'disputing what is not delivered',
    code: 'delivery_not_disputable',
    says: /only a completed delivery/,
    send: toDo('dispute', { reason: 'Broken' }),
  },
  {
    name: 'the dispute of a delivery that is not disputed',
    code: 'record_not_found',
    says: /no dispute/,
    send: about({}, (fixture, id) => fixture.send('GET', `/v1/delivery/${id}/dispute`, {})),
  },
  {
    name: 'resolving a dispute twice',
    code: 'dispute_not_open',
    says: /already resolved/,
    send: toResolve({ outcome: 'refunded' }, [{ outcome: 'rejected' }]),
  },
  {
    name: 'a retry whose quotes are all above its limit',
    code: 'cost_above_limit',
    says: /costs at least \$\d+\.\d\d, more than \$0\.01/,
    send: about({}, async (fixture, id) => {
      await post(fixture, `/v1/delivery/${id}/cancel`, {});
      return post(fixture, `/v1/delivery/${id}/retry`, { max_cost: 1 });
    }),
  },
  {
    name: 'initiating a delivery above the limit with which it was stored',
    code: 'cost_above_limit',
    says: /costs at least \$\d+\.\d\d, more than \$0\.01/,
    send: async (fixture) => {
      const body = { ...orderRequest(), max_cost: 1 };
      const { data } = await fixture.client().deliveries.create({ body });
      return post(fixture, `/v1/delivery/${data.id}/initiate`, {});
    },
  },
  {
    name: 'a refund above what was paid',
    code: 'invalid_request',
    says: /must be at most/,
    send: toResolve({ outcome: 'refunded', amount: 99_999 }),
  },
  {
    name: 'a refund with another outcome',
    code: 'invalid_request',
    says: /only possible with the outcome refunded/,
    send: toResolve({ outcome: 'rejected', amount: 1 }),
  },
  {
    name: 'editing what is delivered',
    code: 'delivery_not_editable',
    says: /can no longer be edited/,
    send: toEdit({ dropoff_notes: 'Ring' }, day),
  },
  {
    name: 'an edit without a field',
    code: 'invalid_request',
    says: /at least one/,
    send: toEdit({}),
  },
  {
    name: 'an edit of where it goes',
    code: 'invalid_request',
    says: /dropoff_address.*not a field/,
    send: toEdit({ dropoff_address: 'Elsewhere' }),
  },
  {
    name: 'an edit to no phone number',
    code: 'invalid_request',
    says: /dropoff_phone_number/,
    send: toEdit({ dropoff_phone_number: '12' }),
  },
  {
    name: 'an unknown delivery',
    code: 'record_not_found',
    says: /There is no delivery dlv_nope/,
    send: (fixture) => post(fixture, '/v1/delivery/dlv_nope/cancel', {}),
  },
  {
    name: 'a quote that nobody gave',
    code: 'quote_not_found',
    says: /There is no delivery quote quo_nope/,
    send: (fixture) => post(fixture, '/v1/delivery_information', { ...orderRequest(), quote_id: 'quo_nope' }),
  },
  {
    name: 'a quote for other stops',
    code: 'quote_not_found',
    says: /different stops/,
    send: async (fixture) => {
      const dropoff_address = '1 Main St, Chicago, IL 60614';
      const quote_id = (await deliveryQuotes(fixture.client(), { dropoff_address }))[0]?.id;
      return post(fixture, '/v1/delivery_information', { ...orderRequest(), quote_id });
    },
  },
  {
    name: 'a test quote with a live key',
    code: 'quote_not_found',
    says: /There is no delivery quote/,
    send: async (fixture) => {
      const quote_id = (await deliveryQuotes(fixture.client()))[0]?.id;
      const headers = { 'x-api-key': fixture.keys.live };
      return post(fixture, '/v1/delivery_information', { ...orderRequest(), quote_id }, headers);
    },
  },
  {
    name: 'a quote from nowhere',
    code: 'invalid_request',
    says: /pickup_address.*unless pickup_store_id/,
    send: (fixture) => post(fixture, '/v1/quote', { dropoff_address: orderRequest().dropoff_address }),
  },
  {
    name: 'a step that cannot be taken',
    code: 'step_not_legal',
    says: /cannot step to returned: possible steps are driver_assigned/,
    send: about({}, (fixture, id) =>
      post(fixture, `/v2/sandbox/deliveries/${id}/steps`, { status: 'returned' }),
    ),
  },
  {
    name: 'a step of a delivery that is stored only',
    code: 'step_not_legal',
    says: /no step is possible/,
    send: async (fixture) => {
      const { data } = await fixture.client().deliveries.create({ body: orderRequest() });
      return post(fixture, `/v2/sandbox/deliveries/${data.id}/steps`, { status: 'driver_assigned' });
    },
  },
  {
    name: 'a scenario that is nearly known',
    code: 'simulation_unknown',
    says: /Unknown scenario or parameter \\"no_drivers\\"; expected .*no_driver/,
    send: (fixture) =>
      post(fixture, '/v1/delivery_information', orderRequest(), { 'x-simulation': 'no_drivers' }),
  },
];
