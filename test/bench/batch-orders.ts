/** The body of a request for a batch of ordinary orders, or for orders to dispatch by hand. */
export function batchBody(
  count: number,
  prefix: string,
  mechanism: 'auto' | 'manual' = 'auto',
  settings: object = {},
): string {
  const orders = Array.from({ length: count }, (_, index) => ({
    pickup_address: '43 E Ohio St, Chicago, IL 60611',
    pickup_name: 'Pizza & Friends',
    pickup_phone_number: '+13125550199',
    dropoff_address: `${100 + index} S Wacker Dr, Chicago, IL 60606`,
    dropoff_name: `Customer ${index}`,
    dropoff_phone_number: '+13125550100',
    items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' }],
    external_order_ref: `${prefix}-${index}`,
  }));
  return JSON.stringify({ orders, settings: { mechanism, ...settings } });
}

/** Sends the request; returns the batch's id and the milliseconds until the whole response. */
export async function sendBatch(url: string, key: string, body: string, idempotency_key: string) {
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    'idempotency-key': idempotency_key,
  };
  const started = performance.now();
  const response = await fetch(`${url}/v2/orders/create`, { method: 'POST', headers, body });
  const text = await response.text();
  const milliseconds = performance.now() - started;
  const { batch_id }: { batch_id?: string } = JSON.parse(text);
  if (response.status !== 202 || batch_id === undefined) throw new Error(`${response.status} ${text}`);
  return { batch_id, milliseconds };
}
