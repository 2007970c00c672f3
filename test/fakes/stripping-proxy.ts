import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Transport } from '../../src/contract/operation.ts';
import { listenLocally } from '../local-server.ts';

type Fields = Record<string, unknown>;

/** The operations that the public interface names, and the fields of their records. */
const operations: readonly { method: string; path: RegExp; fields: readonly string[] }[] = [
  { method: 'POST', path: /^\/orders\/create$/, fields: ['id', 'batch_id'] },
  { method: 'POST', path: /^\/v2\/routes$/, fields: ['id', 'status'] },
  { method: 'POST', path: /^\/v2\/routes\/[^/]+\/quotes$/, fields: ['job_id', 'object'] },
  {
    method: 'GET',
    path: /^\/v2\/routes\/[^/]+\/quotes$/,
    fields: [
      ...['object', 'status', 'data', 'id', 'cost_of_delivery', 'service_fee', 'provider', 'account_id'],
      ...['route_id', 'courier_name', 'courier_image', 'pickup_time', 'vehicle_id', 'expires_at'],
    ],
  },
  { method: 'POST', path: /^\/v2\/routes\/[^/]+\/dispatch$/, fields: ['id', 'status'] },
  { method: 'POST', path: /^\/v1\/delivery_information$/, fields: delivery() },
  { method: 'GET', path: /^\/v1\/deliveries$/, fields: ['data', ...delivery()] },
  { method: 'GET', path: /^\/v1\/delivery\/[^/]+$/, fields: delivery() },
];

function delivery(): string[] {
  return [
    ...['id', 'delivery_type', 'service', 'status', 'tracking_url', 'created_at', 'updated_at'],
    ...['cancellation_reason', 'external_order_ref', 'order_value', 'proof_of_delivery', 'quote_id'],
    ...['signature', 'status_history', 'store_id', 'test_mode', 'vehicle', 'items_description', 'items'],
    ...['currency', 'payment_amount', 'tip', 'fee', 'upsell', 'subsidized', 'name', 'quantity', 'size'],
    ...['pickup_at', 'pickup_address', 'pickup_eta', 'pickup_name', 'pickup_notes'],
    ...['pickup_phone_number', 'pickup_unit', 'dropoffs', 'dropoff_at', 'dropoff_address', 'dropoff_eta'],
    ...['dropoff_name', 'dropoff_notes', 'dropoff_phone_number', 'dropoff_unit', 'courier_name'],
    ...['courier_img', 'courier_phone_number', 'courier_vehicle_type', 'courier_location_lat'],
    'courier_location_lng',
  ];
}

/**
 * Stands in front of waybill's own service and takes away what the public interface does not name: operations, fields,
 * headers, queries, idempotency keys. Gives its address.
 */
export async function strippingProxy(
  transport: Transport,
  key: string,
): Promise<{ url: string; requests: string[]; close(): Promise<void> }> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname: path } = new URL(request.url ?? '/', 'http://service');
    const method = request.method ?? 'GET';
    requests.push(`${method} ${path}`);
    const body = await text(request);
    const operation = operations.find((each) => each.method === method && each.path.test(path));
    if (operation === undefined) return void response.writeHead(404).end('404 page not found');
    const isKnown = request.headers['x-api-key'] === 'key_other';
    const headers = { 'content-type': 'application/json', 'x-api-key': isKnown ? key : 'wb_test_none' };
    const answer = await transport({ method, path, headers, body });
    const data: unknown = JSON.parse(answer.body);
    const isError = answer.status > 299;
    const stripped = isError ? { error: messageIn(data) } : strip(data, new Set(operation.fields));
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(stripped));
  });
  const { port, close } = await listenLocally(server);
  return { url: `http://127.0.0.1:${port}`, requests, close };
}

function strip(data: unknown, fields: ReadonlySet<string>): unknown {
  if (Array.isArray(data)) return data.map((each) => strip(each, fields));
  if (typeof data !== 'object' || data === null) return data;
  const kept = Object.entries(data).filter(([name]) => fields.has(name));
  // The steps of a history keep their fields.
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === 'status_history' ? value : strip(value, fields)]),
  );
}

function messageIn(data: unknown): string {
  const fields: Fields = typeof data === 'object' && data !== null ? { ...data } : {};
  return String(fields.message);
}
