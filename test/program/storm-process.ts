import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Body, Storm } from './body-storm.ts';

// Sends the bodies of a storm until it is killed: see startStorm.

const { port, bodies, pace, count }: Storm = JSON.parse(process.argv[2] ?? '');
const order = {
  ...{ pickup_address: '43 E Ohio St, Chicago, IL 60611', pickup_name: 'Pizza & Friends' },
  ...{ pickup_phone_number: '+13125550100', dropoff_address: '233 S Wacker Dr, Chicago, IL 60606' },
  ...{ dropoff_name: 'Dana Whitfield', dropoff_phone_number: '+13125550142' },
  items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' }],
};
const text = JSON.stringify({ orders: [order] });

/** The same body again and again on new connections. */
async function sendAgain({ method, path, key, size }: Body, bytes: Buffer): Promise<never> {
  const head = [
    ...[`${method} ${path} HTTP/1.1`, 'Host: shop.example', 'Content-Type: application/json'],
    ...[`Content-Length: ${size}`, ...(key === undefined ? [] : [`X-API-Key: ${key}`])],
  ].join('\r\n');
  for (;;) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(`${head}\r\n\r\n`);
    if (pace === 'stalled') socket.write(bytes.subarray(1));
    if (pace === 'fast') socket.write(bytes);
    const drip = pace === 'slow' ? setInterval(() => socket.write(' '), 100) : undefined;
    socket.on('data', () => pace === 'fast' && socket.destroy());
    await new Promise((resolve) => socket.on('close', resolve));
    clearInterval(drip);
    await pause(20);
  }
}

for (const body of bodies) {
  const bytes = Buffer.from(text.padEnd(body.size));
  for (let index = 0; index < count; index += 1) void sendAgain(body, bytes);
}
await pause(500);
process.send?.('started');
