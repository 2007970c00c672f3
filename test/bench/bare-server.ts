/**
 * The floor of the service's figures, run in a process of its own: `node:http` over one prepared statement of
 * `node:sqlite` for each method. GET /ID parses and writes the record of that id; POST / parses an order and inserts
 * it in a transaction of its own, which is on disk before the answer.
 */
import { createServer, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';

const database = new DatabaseSync(process.argv[2] ?? ':memory:');
database.exec('pragma journal_mode = wal; pragma synchronous = full');
database.exec('create table if not exists orders (id integer primary key, record text not null)');
const find = database.prepare('select record from records where id = ?');
const insert = database.prepare('insert into orders (record) values (?)');

function answer(response: ServerResponse, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

const http = createServer(async (request, response) => {
  if (request.method === 'GET') {
    return answer(response, JSON.parse(String(find.get(request.url?.slice(1) ?? '')?.record)));
  }
  const order: unknown = JSON.parse(await text(request));
  insert.run(JSON.stringify(order));
  answer(response, order);
});
http.listen({ host: '127.0.0.1', port: 0 }, () => {
  const address = http.address();
  process.send?.(typeof address === 'object' ? address?.port : null);
});
process.on('disconnect', () => process.exit());
