import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import worker from '../../../src/service/driver-page/worker/worker.js?raw';

type Listener = (event: object) => void;

/** The worker with a cache of one page. */
function startWorker({ kept, isFull = false }: { kept: string | null; isFull?: boolean }) {
  const listeners = new Map<string, Listener>();
  const pages = new Map(kept === null ? [] : [['/drive/token', kept]]);
  const cache = {
    match: async (key: string) => (pages.has(key) ? new Response(pages.get(key)) : undefined),
    put: async (key: string, response: Response) => {
      if (isFull) throw new Error('QuotaExceededError');
      pages.set(key, await response.text());
    },
    delete: async (key: string) => pages.delete(key),
  };
  const state = { answer: async (): Promise<Response> => Promise.reject(new TypeError('no connection')) };
  const self = { addEventListener: (name: string, listener: Listener) => listeners.set(name, listener) };
  const given = { self, URL, Response, Headers, AbortSignal, caches: { open: async () => cache } };
  runInNewContext(worker, { ...given, fetch: () => state.answer() });
  const open = async (answer: () => Promise<Response>) => {
    state.answer = answer;
    const answered: Promise<Response>[] = [];
    const request = { method: 'GET', url: 'https://shop.example/drive/token' };
    listeners.get('fetch')?.({
      request,
      respondWith: (response: Promise<Response>) => answered.push(response),
    });
    const response = await answered[0];
    if (response === undefined) throw new Error('the worker did not answer');
    return [response.status, response.headers.get('x-kept'), await response.text().catch(() => '')];
  };
  return { open, pages };
}

const cutOff = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('<html>'));
        controller.error(new TypeError('cut off'));
      },
    }),
  );

test('the kept page stands for one that cannot be loaded to its end, and for an outage', async () => {
  const { open } = startWorker({ kept: 'old' });
  for (const answer of [
    async () => Promise.reject(new TypeError('no connection')),
    async () => cutOff(),
    async () => new Response('Bad Gateway', { status: 502 }),
  ]) {
    expect(await open(answer)).toEqual([200, '1', 'old']);
  }
  expect(await open(async () => new Response('new'))).toEqual([200, null, 'new']);
  expect(await open(async () => cutOff())).toEqual([200, '1', 'new']);
});

test('a phone without room shows the page, and a link that is no longer valid is not kept', async () => {
  const full = startWorker({ kept: null, isFull: true });
  expect(await full.open(async () => new Response('new'))).toEqual([200, null, 'new']);
  const { open, pages } = startWorker({ kept: 'old' });
  expect(await open(async () => new Response('gone', { status: 404 }))).toEqual([404, null, 'gone']);
  expect([...pages]).toEqual([]);
});
