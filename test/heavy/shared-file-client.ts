// Runs as a separate process, with others on the same file: keeps the embedded service open and sends requests in turn
// for an order, a batch and lists. Prints how long each request took, in milliseconds, and unexpected responses.
// Arguments: the file, a key, the time to end at.
import { setTimeout as pause } from 'node:timers/promises';
import { openEmbedded } from '../../src/service/embedded.ts';

const [file = '', key = '', until = '0'] = process.argv.slice(2);
const took: Record<string, number[]> = { order: [], batch: [], list: [], look: [] };
const complaints: string[] = [];
/** People pause between requests; eight processes at full speed would only measure the machine. */
const pause_ms = 500;

const { transport, close } = await openEmbedded({
  ...{ file, key, ownKey: null },
  onFault: (fault) => complaints.push(String(fault)),
});

async function send(
  name: string,
  method: string,
  path: string,
  body: string,
  status: number,
): Promise<string> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const started = performance.now();
  const answer = await transport({ method, path, headers, body });
  took[name]?.push(performance.now() - started);
  if (answer.status !== status) complaints.push(`${name}: ${answer.status} ${answer.body}`);
  return answer.body;
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

while (Date.now() < Number(until)) {
  await send('order', 'POST', '/v2/orders/create', JSON.stringify({ orders: [order] }), 200);
  const auto = { orders: [order, order], settings: { mechanism: 'auto' } };
  const { batch_id } = JSON.parse(
    await send('batch', 'POST', '/v2/orders/create', JSON.stringify(auto), 202),
  );
  await send('list', 'GET', '/v2/orders', '', 200);
  await send('look', 'GET', `/v2/batches/${batch_id}`, '', 200);
  await pause(pause_ms);
}
await close();
console.log(JSON.stringify({ took, complaints }));
