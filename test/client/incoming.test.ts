import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { timer } from '../../src/cli/kit/system/streams.ts';
import type { HttpTransport } from '../../src/client/http.ts';
import type { WireStream } from '../../src/contract/operation.ts';
import { listening, opened } from './connections.ts';

const get = { method: 'GET', path: '/v2/events/stream', headers: { accept: 'text/event-stream' }, body: '' };

interface Streaming {
  host: string;
  /** The current response. */
  response: () => ServerResponse;
  isGone: () => boolean;
}

async function streaming(status = 200): Promise<Streaming> {
  let current: ServerResponse | null = null;
  let isGone = false;
  const answer: RequestListener = (_, response) => {
    current = response;
    response.on('close', () => {
      isGone = true;
    });
    response.writeHead(status, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
  };
  const response = () => {
    if (current === null) throw new Error('nobody has asked');
    return current;
  };
  return { host: await listening(createServer(answer)), response, isGone: () => isGone };
}

async function streamFrom(transport: HttpTransport): Promise<WireStream> {
  const { stream, body } = await transport(get);
  expect(body).toBe('');
  if (stream === undefined) throw new Error('no stream');
  return stream;
}

/** Everything until the end. */
async function all({ chunks }: WireStream): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

test('a stream is open with its headers and may take longer than other responses', async () => {
  const { host, response } = await streaming();
  const running = new Set<number>();
  const watched = (ms: number) => {
    running.add(ms);
    return () => running.delete(ms);
  };
  const stream = await streamFrom(opened(`http://${host}`, { requestTimeout_ms: 2_000, timer: watched }));
  expect([...running]).toEqual([45_000]);
  const read = all(stream);
  for (const byte of Buffer.from(': Zoë 🍕\n\n')) {
    response().write(Buffer.from([byte]));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  response().end();
  expect(await read).toBe(': Zoë 🍕\n\n');
  expect([...running]).toEqual([]);
});

test('an error response is not a stream, whatever its type', async () => {
  const { host, response } = await streaming(503);
  const answer = opened(`http://${host}`)(get);
  await expect.poll(response).toBeDefined();
  response().end('busy');
  expect(await answer).toMatchObject({ status: 503, body: 'busy' });
  expect((await answer).stream).toBeUndefined();
});

test('closing it ends the connection and pending reads', async () => {
  const { host, isGone } = await streaming();
  const stream = await streamFrom(opened(`http://${host}`));
  const read = all(stream);
  stream.close();
  expect(await read).toBe('');
  await expect.poll(isGone).toBe(true);
});

test('a consumer that stops ends the connection', async () => {
  const { host, response, isGone } = await streaming();
  const stream = await streamFrom(opened(`http://${host}`));
  response().write('a');
  for await (const chunk of stream.chunks) {
    expect(chunk).toBe('a');
    break;
  }
  await expect.poll(isGone).toBe(true);
});

test('a broken connection is not an end: received data is given, then the loss is reported', async () => {
  const { host, response } = await streaming();
  const stream = await streamFrom(opened(`http://${host}`));
  response().write('a');
  const chunks = stream.chunks[Symbol.asyncIterator]();
  expect(await chunks.next()).toEqual({ done: false, value: 'a' });
  response().destroy();
  await expect(chunks.next()).rejects.toMatchObject({ name: 'Unreachable' });
});

test('after 45 s without a byte it is lost; each byte restarts the time', async () => {
  const { host, response, isGone } = await streaming();
  const expiries: (() => void)[] = [];
  const watched = (ms: number, given: () => void) => {
    if (ms !== 45_000) return timer(ms, given);
    const expired = () => {
      expiries.splice(expiries.indexOf(expired), 1);
      given();
    };
    expiries.push(expired);
    return () => expiries.splice(expiries.indexOf(expired), 1);
  };
  const stream = await streamFrom(opened(`http://${host}`, { timer: watched }));
  const [first] = expiries;
  response().write('a');
  await expect.poll(() => expiries[0] !== first && expiries.length).toBe(1);
  const chunks = stream.chunks[Symbol.asyncIterator]();
  expect((await chunks.next()).value).toBe('a');
  const next = chunks.next();
  expiries[0]?.();
  await expect(next).rejects.toThrow(/silent for 45 s/);
  await expect.poll(isGone).toBe(true);
  expect(expiries).toEqual([]);
});

/** Sends until the reader stops reading, or a maximum number of times; returns how often. */
async function sendAll(response: ServerResponse, most: number): Promise<number> {
  const chunk = 'x'.repeat(100_000);
  for (let sent = 1; sent <= most; sent += 1) {
    if (response.write(chunk)) continue;
    const drained = new Promise<boolean>((resolve) => response.once('drain', () => resolve(true)));
    const stuck = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 300));
    if (!(await Promise.race([drained, stuck]))) return sent;
  }
  return most;
}

test('unread data is held back at the sender, and the stream does not count as lost', async () => {
  const { host, response } = await streaming();
  const watches = new Set<() => void>();
  const watched = (ms: number, expired: () => void) => {
    if (ms !== 45_000) return timer(ms, expired);
    watches.add(expired);
    return () => watches.delete(expired);
  };
  const stream = await streamFrom(opened(`http://${host}`, { timer: watched }));
  expect(watches.size).toBe(1);
  const sent = await sendAll(response(), 1_000);
  expect(sent).toBeLessThan(1_000);
  expect(watches.size).toBe(0);
  const reading = all(stream);
  await expect.poll(() => response().writableNeedDrain).toBe(false);
  response().end();
  expect(await reading).toHaveLength(sent * 100_000);
});

test('a stream works through a proxy', async () => {
  const { host, response } = await streaming();
  const transport = opened('http://deliveries.test', { environment: { http_proxy: `http://${host}` } });
  const read = all(await streamFrom(transport));
  response().end(': hello\n\n');
  expect(await read).toBe(': hello\n\n');
});
