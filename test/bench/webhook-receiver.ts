/**
 * A receiver in a separate process: responds 200 immediately, and reports to its parent when each message arrived, if
 * requested.
 */
import { createServer } from 'node:http';

const isTelling = process.argv[2] === 'telling';
let arrivals: [id: string, at: number][] = [];

const server = createServer((request, response) => {
  const at = performance.timeOrigin + performance.now();
  request.resume();
  request.on('end', () => {
    response.end();
    if (isTelling) arrivals.push([String(request.headers['webhook-id']), at]);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ port: address?.port });
});
process.on('message', () => {
  process.send?.({ arrivals });
  arrivals = [];
});
process.on('disconnect', () => process.exit());
