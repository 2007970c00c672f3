/** The OpenAPI description of what a courier provides to be connected by HTTP. */
import type { Json } from '../openapi-examples.ts';
import { type JsonObject, refer, toPlainJson } from '../openapi-schemas.ts';
import {
  CancelRequest,
  CourierDelivery,
  CourierDescription,
  CourierError,
  CourierQuote,
  CourierQuoteRequest,
  courierPaths,
  DeliveryRequest,
  Rejection,
  SimulateRequest,
} from './schemas.ts';

interface Call {
  id: string;
  method: 'get' | 'post' | 'put';
  path: string;
  summary: string;
  description: string;
  body?: object;
  /** By status. */
  answers: Readonly<Record<string, readonly [description: string, schema: object]>>;
}

const refused = (what: string) => [what, Rejection] as const;
const unknown = { '404': ['The order is unknown', CourierError] } as const;
const malformed = {
  '400': ['The body is no JSON, or a field is missing or has another type', CourierError],
} as const;

const calls: readonly Call[] = [
  {
    id: 'DescribeCourier',
    method: 'get',
    path: courierPaths.describe,
    summary: 'Describe the courier',
    description: 'The discovery document. waybill reads it to check a connection; it has no other effect.',
    answers: { '200': ['The courier', CourierDescription] },
  },
  {
    id: 'Quote',
    method: 'post',
    path: courierPaths.quote,
    summary: 'Quote an order',
    description: 'The price holds until `expiresAt`.',
    body: CourierQuoteRequest,
    answers: {
      '200': ['A quote', CourierQuote],
      ...malformed,
      '422': refused('The courier does not carry this order'),
    },
  },
  {
    id: 'CreateDelivery',
    method: 'put',
    path: courierPaths.delivery,
    summary: 'Create a delivery',
    description:
      'waybill chooses the ID and repeats the call after a lost response: the same body again, even at the same ' +
      'moment, makes no second delivery and is answered with the first one.',
    body: DeliveryRequest,
    answers: {
      '200': ['The delivery that an earlier call created', CourierDelivery],
      '201': ['The created delivery', CourierDelivery],
      ...malformed,
      '409': ['The order exists with another body', CourierError],
      '422': refused('The courier does not carry this order, or the quote has expired'),
    },
  },
  {
    id: 'GetDelivery',
    method: 'get',
    path: courierPaths.delivery,
    summary: 'Get a delivery by our ID',
    description:
      'waybill asks after a lost response, where no event has arrived for a while, and in pull mode.',
    answers: { '200': ['The delivery', CourierDelivery], ...unknown },
  },
  {
    id: 'CancelDelivery',
    method: 'post',
    path: courierPaths.cancel,
    summary: 'Cancel a delivery',
    description: 'A repeat is answered as the first call. `cancellationPrice` is the fee, if there is one.',
    body: CancelRequest,
    answers: {
      '200': ['The canceled delivery', CourierDelivery],
      ...malformed,
      ...unknown,
      '409': refused('It is too late to cancel'),
    },
  },
  {
    id: 'SimulateEvent',
    method: 'post',
    path: courierPaths.simulate,
    summary: 'Simulate an event',
    description:
      'Only for API keys with `liveMode` false, so that both sides can be tested without a driver. An event that ' +
      'cannot follow the last one is refused.',
    body: SimulateRequest,
    answers: {
      '200': ['The delivery after the event', CourierDelivery],
      ...malformed,
      ...unknown,
      '409': refused('The event cannot follow the last one'),
    },
  },
];

/** The OpenAPI 3.1 description of the server that a courier provides, and of the events that it posts. */
export function describeCourierProtocol() {
  const schemas = new Map<string, Json>();
  const contentOf = (schema: object) => ({
    'application/json': { schema: refer(toPlainJson(schema), schemas) },
  });
  const paths: Record<string, Record<string, Json>> = {};
  for (const call of calls)
    paths[call.path] = { ...paths[call.path], [call.method]: describe(call, contentOf) };
  const webhook = {
    operationId: 'DeliveryEvent',
    summary: 'An event of a delivery',
    description:
      'The whole delivery with its events, signed as Standard Webhooks (https://www.standardwebhooks.com) with the ' +
      'secret of the connection. Every response but 2xx is repeated later with the same webhook-id.',
    parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
      name,
      in: 'header',
      required: true,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: contentOf(CourierDelivery) },
    responses: { '200': { description: 'Received' }, '401': { description: 'The signature is not valid' } },
  };
  return {
    openapi: '3.1.1' as const,
    info: {
      title: 'waybill courier protocol',
      version: '1.0.0',
      summary: 'The server that a courier provides to take deliveries from waybill',
      description:
        'Amounts are in the smallest unit of their currency, times in ISO 8601. Both sides ignore unknown fields. ' +
        'Other responses than these, and none, mean that the outcome is unknown: waybill asks again. A 429 with ' +
        'Retry-After is repeated after that time.',
      contact: { name: 'waybill' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'https://courier.example', description: 'The address of your courier' }],
    security: [{ apiKey: [] }],
    tags: [{ name: 'Courier', description: 'What waybill calls at the courier' }],
    paths,
    webhooks: { delivery: { post: webhook } },
    components: {
      schemas: Object.fromEntries(schemas),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The API key that the courier gave the merchant',
        },
      },
    },
  };
}

function describe(call: Call, contentOf: (schema: object) => JsonObject): JsonObject {
  const responses = Object.entries(call.answers).map(([status, [description, schema]]) => [
    status,
    { description, content: contentOf(schema) },
  ]);
  const orderId = { name: 'orderId', in: 'path', required: true, schema: { type: 'string' } };
  return {
    operationId: call.id,
    summary: call.summary,
    description: call.description,
    tags: ['Courier'],
    ...(call.path.includes('{orderId}') ? { parameters: [orderId] } : {}),
    ...(call.body === undefined ? {} : { requestBody: { required: true, content: contentOf(call.body) } }),
    responses: {
      ...Object.fromEntries(responses),
      '401': { description: 'The API key is missing or wrong', content: contentOf(CourierError) },
    },
  };
}
