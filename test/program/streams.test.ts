import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newDatabase } from '../databases.ts';
import { oneOf } from '../in-part.ts';
import { orderRequest } from '../service/fixture.ts';
import { freshHome, type Served, serve, waybill } from './run.ts';

/** Opens a stream, as a proxy does for a client, and keeps it whatever the response is. */
function openStream({ url }: Served, key: string, client: string): { socket: Socket; status: () => string } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const lines = [
    'GET /v2/events/stream HTTP/1.1',
    'Host: shop.example',
    `X-API-Key: ${key}`,
    `X-Forwarded-For: ${client}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  onTestFinished(() => void socket.destroy());
  return { socket, status: () => text.slice(9, 12) };
}

/** The status of a call on a connection of its own, as through a proxy; probes come without a key. */
async function call({ url }: Served, path: string, key?: string, body?: unknown): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    connection: 'close',
    ...(key !== undefined && { 'x-api-key': key, 'x-forwarded-for': '198.51.100.7' }),
  };
  const posted = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url + path, { headers, ...posted });
  await response.text();
  return response.status;
}

const databases: [engine: string, locate: (home: { folder: string }) => string | Promise<string>][] = [
  ['SQLite', ({ folder }) => join(folder, 'served.db')],
  ['PostgreSQL', newDatabase],
];

test.each(databases.filter(oneOf(2)))(
  '300 streams of one account keep nobody from a service behind a proxy on %s',
  async (_, locate) => {
    const home = freshHome();
    const database = await locate(home);
    const flags = ['--trusted-proxy', '127.0.0.1', '--max-connections', '100'];
    const served = await serve(home, { database, flags });
    const create = ['admin', 'accounts', 'create', '--name', 'Other', '--database', database, '--json'];
    const made = await waybill(home, ...create);
    const keys: { key: string; mode: string }[] = JSON.parse(made.stdout).keys;
    const other = keys.find(({ mode }) => mode === 'test')?.key ?? '';
    const streams = Array.from({ length: 300 }, (_each, index) =>
      openStream(served, other, `203.0.${index % 8}.${index % 50}`),
    );
    const during: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      during.push(await call(served, '/health/live'), await call(served, '/health/ready'));
      during.push(await call(served, '/v2/orders/create', served.keys.test, { orders: [orderRequest()] }));
      during.push(await call(served, '/v2/orders', served.keys.test));
    }
    expect(during).toEqual(during.map(() => 200));
    const open = () => streams.filter(({ socket, status }) => !socket.destroyed && status() === '200').length;
    await expect.poll(open).toBe(20);
    await served.stop();
  },
);
