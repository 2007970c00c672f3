// Runs as a separate process, with others on the same file: keeps the embedded service open and sends requests in turn
// for an order, a batch and lists. Prints the ids of the orders, and unexpected responses.
// Arguments: the file, a key, the time to end at, the least number of orders.
import { setTimeout as pause } from 'node:timers/promises';
import { openEmbedded } from '../../src/service/embedded.ts';

const [file = '', key = '', until = '0', least = '0'] = process.argv.slice(2);
const made: string[] = [];
const complaints: string[] = [];
/** People pause between requests; processes at full speed would only measure the machine. */
const pause_ms = 500;

const { transport, close } = await openEmbedded({
  ...{ file, key, ownKey: null },
  onFault: (fault) => complaints.push(String(fault)),
});

/** Sends a request, and returns the JSON of its answer. */
async function send(method: string, path: string, body: object | null, status: number) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const text = body === null ? '' : JSON.stringify(body);
  const answer = await transport({ method, path, headers, body: text });
  if (answer.status !== status) complaints.push(`${method} ${path}: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body);
}

const order = {
  pickup_address: '43 E Ohio St, Chicago, IL 60611',
  pickup_name: 'A',
  pickup_phone_number: '+13125550199',
  dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
  dropoff_name: 'B',
  dropoff_phone_number: '+13125550100',
  items: [{ name: 'Pizza', quantity: 1, size: 'small' }],
};

while (Date.now() < Number(until) || made.length < Number(least)) {
  made.push((await send('POST', '/v2/orders/create', { orders: [order] }, 200)).id);
  const auto = { orders: [order, order], settings: { mechanism: 'auto' } };
  const { batch_id } = await send('POST', '/v2/orders/create', auto, 202);
  await send('GET', '/v2/orders', null, 200);
  const { orders } = await send('GET', `/v2/batches/${batch_id}`, null, 200);
  made.push(...orders.map(({ order_id }: { order_id: string }) => order_id));
  await pause(pause_ms);
}
await close();
console.log(JSON.stringify({ made, complaints }));
