import type { Client } from '../../src/client/client.ts';
import { startedDelivery } from './delivery-runs.ts';
import type { Fixture } from './fixture.ts';
import type { Refusal } from './refusal-cases.ts';

/** A loopback address, so that no name is resolved; there is no listener. */
const url = 'http://127.0.0.1:1/hooks';
const list = '/v2/webhook_endpoints';

async function newEndpoint(client: Client) {
  const { data } = await client.webhooks.create({ body: { url } });
  return { id: data.id, path: `${list}/${data.id}`, params: { webhook_endpoint_id: data.id } };
}

async function disabledEndpoint(client: Client) {
  const endpoint = await newEndpoint(client);
  await client.webhooks.update({ params: endpoint.params, body: { status: 'disabled' } });
  return endpoint;
}

async function newEvent(client: Client): Promise<string> {
  await startedDelivery(client, 'happy_path');
  const { data } = await client.events.list({ query: { limit: 1 } });
  return data.data[0]?.id ?? '';
}

const create = (fixture: Fixture, body: object) => fixture.send('POST', list, { body: { url, ...body } });

/** The errors of webhook endpoints and resending. */
export const webhookRefusals: Refusal[] = [
  {
    name: 'an unknown webhook endpoint',
    code: 'record_not_found',
    says: /There is no webhook endpoint whe_nope/,
    send: (fixture) => fixture.send('POST', `${list}/whe_nope/rotate_secret`),
  },
  {
    name: 'a URL inside a network',
    code: 'invalid_request',
    says: /"path":"url","message":"169\.254\.169\.254 is/,
    send: (fixture) => create(fixture, { url: 'http://169.254.169.254/' }),
  },
  {
    name: 'a type of events that there is not',
    code: 'invalid_request',
    says: /"path":"events\[1\]"/,
    send: (fixture) => create(fixture, { events: ['*', 'order.eaten'] }),
  },
  {
    name: 'a test that is asked for by subscription',
    code: 'invalid_request',
    says: /"path":"events\[0\]"/,
    send: (fixture) => create(fixture, { events: ['webhook.test'] }),
  },
  {
    name: 'an unknown event that is to be resent',
    code: 'record_not_found',
    says: /There is no event evt_nope/,
    send: (fixture) => fixture.send('POST', '/v2/events/evt_nope/resend', { body: {} }),
  },
  {
    name: 'an event that is to be resent to a disabled webhook endpoint',
    code: 'webhook_endpoint_disabled',
    says: /is disabled: disabled by the merchant/,
    send: async (fixture) => {
      const { id } = await disabledEndpoint(fixture.client());
      const event_id = await newEvent(fixture.client());
      return fixture.send('POST', `/v2/events/${event_id}/resend`, { body: { webhook_endpoint_id: id } });
    },
  },
  {
    name: 'an event of test mode that is to be resent to a webhook endpoint of live mode',
    code: 'record_not_found',
    says: /There is no webhook endpoint/,
    send: async (fixture) => {
      const { id } = await newEndpoint(fixture.client(fixture.keys.live));
      const event_id = await newEvent(fixture.client());
      return fixture.send('POST', `/v2/events/${event_id}/resend`, { body: { webhook_endpoint_id: id } });
    },
  },
  {
    name: 'a test event whose endpoint is deleted, to be resent to nobody in particular',
    code: 'invalid_request',
    says: /"path":"webhook_endpoint_id","message":"is required: no endpoint subscribes/,
    send: async (fixture) => {
      const { params } = await newEndpoint(fixture.client());
      const { data } = await fixture.client().webhooks.test({ params });
      await fixture.client().webhooks.delete({ params });
      return fixture.send('POST', `/v2/events/${data.event_id}/resend`, { body: {} });
    },
  },
];
