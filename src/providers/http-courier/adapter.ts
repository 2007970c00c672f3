/** Any courier that provides the server which `waybill openapi --courier` describes. */
import { isPickedUp } from '../../domain/delivery-states.ts';
import type {
  Courier,
  CourierAdapter,
  CourierCancelAnswer,
  CourierCheck,
  CourierDelivery,
  CourierSettings,
} from '../courier.ts';
import { parseFields, textAt } from '../json-fields.ts';
import { ProviderFault } from '../port.ts';
import { addressProblem, type CourierCall, createClient } from './client.ts';
import { bookingFrom, priceAt, problemFrom, quoteFrom } from './from-response.ts';
import { reportsOf } from './reports.ts';
import { capabilities, pushSetup, settings } from './settings.ts';
import { createBody, quoteBody } from './to-request.ts';
import { isSecret, receivePush } from './webhook.ts';

const protocol = 'waybill-courier/1';

export const httpCourier: CourierAdapter = {
  name: 'http',
  title: 'Courier with a waybill server',
  capabilities,
  settings,
  push_setup: pushSetup,
  hosts: ({ url = '' }) => [URL.parse(url)?.host ?? []].flat(),
  connect: (given, ports) => connect(given, createClient(given, ports)),
};

function connect(given: CourierSettings, call: CourierCall): Courier {
  return {
    check: () => check(given, call),
    quote: async (request) => {
      const response = await call('POST', '/quotes', quoteBody(request.order));
      if (response.status === 200) return quoteFrom(response.body, request);
      return { kind: 'declined', ...problemFrom(response) };
    },
    create: async (request) => {
      const response = await call('PUT', pathOf(request.key), createBody(request));
      if (response.status === 200 || response.status === 201) return bookingFrom(response.body);
      return { kind: 'refused', ...problemFrom(response) };
    },
    find: async ({ key }) => {
      const response = await call('GET', pathOf(key));
      if (response.status === 404) return null;
      if (response.status !== 200) throw new ProviderFault(problemFrom(response).reason);
      return bookingFrom(response.body);
    },
    cancelTerms: async ({ status }) =>
      isPickedUp(status)
        ? { kind: 'refused', reason: 'The courier takes no cancellation after the pickup.' }
        : { kind: 'taken', fee: null },
    cancel: (delivery) => cancel(call, delivery),
    receive: (push) => receivePush(push, given.webhook_secret ?? ''),
    poll: async ({ key }) => {
      const response = await call('GET', pathOf(key));
      if (response.status !== 200) throw new ProviderFault(problemFrom(response).reason);
      return reportsOf(parseFields(response.body));
    },
  };
}

function pathOf(key: string): string {
  return `/deliveries/${encodeURIComponent(key)}`;
}

async function cancel(call: CourierCall, { key }: CourierDelivery): Promise<CourierCancelAnswer> {
  const response = await call('POST', `${pathOf(key)}/cancel`, { reason: 'OTHER' });
  if (response.status === 200) {
    return { kind: 'taken', fee: priceAt(parseFields(response.body), 'cancellationPrice') };
  }
  return { kind: 'refused', reason: problemFrom(response).reason };
}

async function check(
  { url = '', webhook_secret = '' }: CourierSettings,
  call: CourierCall,
): Promise<CourierCheck> {
  const problem = addressProblem(url);
  if (problem !== null) return { kind: 'failed', field: 'url', problem };
  if (webhook_secret !== '' && !isSecret(webhook_secret)) {
    const needed = 'The secret is whsec_ followed by at least 24 bytes in base64.';
    return { kind: 'failed', field: 'webhook_secret', problem: needed };
  }
  const response = await call('GET', '/courier');
  if (response.status === 401 || response.status === 403) {
    return { kind: 'failed', field: 'api_key', problem: problemFrom(response).reason };
  }
  const courier = parseFields(response.body);
  if (response.status !== 200 || courier.protocol !== protocol) {
    const found = `No courier that speaks ${protocol} answers at this address (status ${response.status}).`;
    return { kind: 'failed', field: 'url', problem: found };
  }
  const mode = courier.liveMode === true ? 'live' : courier.liveMode === false ? 'test' : 'unknown';
  return { kind: 'connected', mode, detail: textAt(courier, 'name') ?? url };
}
