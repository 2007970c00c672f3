import { expect, test } from 'vitest';
import { Unreachable } from '../../src/client/errors.ts';
import type { FollowOptions } from '../../src/client/event-stream.ts';
import type { Event } from '../../src/contract/events.ts';
import type { WireResponse } from '../../src/contract/operation.ts';
import { json, refusal, refused, scripted, startedAt } from './fakes.ts';

function event(number: number, changes: Partial<Event> = {}): Event {
  return {
    id: `evt_${number}`,
    object: 'event',
    type: 'order.failed',
    created_at: new Date(startedAt).toISOString(),
    test_mode: true,
    sequence: null,
    data: {},
    ...changes,
  };
}

function block(told: Event): string {
  return `id: ${told.id}\nevent: ${told.type}\ndata: ${JSON.stringify(told)}\n\n`;
}

const opening = ': open\nretry: 1000\n\n';
const now = new Date(startedAt + 5).toISOString();

interface Streamed extends WireResponse {
  isClosed: () => boolean;
}

/** A stream of these chunks; afterwards it ends, fails with the error, or waits until it is closed. */
function streamed(chunks: Iterable<string>, end: 'ends' | 'waits' | Error = 'ends'): Streamed {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let isClosed = false;
  async function* all() {
    yield* chunks;
    if (end instanceof Error) throw end;
    if (end === 'waits') await closed;
  }
  const close = () => {
    isClosed = true;
    resolve();
  };
  const headers = { 'content-type': 'text/event-stream', 'x-service-time': now };
  return { status: 200, headers, body: '', stream: { chunks: all(), close }, isClosed: () => isClosed };
}

interface Followed {
  ids: string[];
  sent: { path: string; headers: Record<string, string> }[];
  waits: number[];
  heard: string[];
  error: unknown;
}

/** Follows until a number of events has arrived, or the stream ends. */
async function followed(
  script: (WireResponse | Error)[],
  { until = Number.POSITIVE_INFINITY, ...asked }: Partial<FollowOptions> & { until?: number } = {},
  testMode: boolean | null = null,
): Promise<Followed> {
  const { client, sent, waits } = scripted(script, { testMode });
  const controller = new AbortController();
  const heard: string[] = [];
  const options: FollowOptions = {
    signal: controller.signal,
    onOpen: () => heard.push('open'),
    onLost: ({ message }) => heard.push(message),
    ...asked,
  };
  const ids: string[] = [];
  const result = { ids, sent, waits, heard };
  try {
    for await (const { id } of client.follow(options)) {
      ids.push(id);
      if (ids.length >= until) controller.abort();
    }
    return { ...result, error: null };
  } catch (error) {
    return { ...result, error };
  }
}

test('the stream sends its filters and the headers of a stream', async () => {
  const asked = { types: ['order.failed', 'webhook.test'], delivery_id: 'dlv_1', batch_id: 'bat_1' } as const;
  const { sent, ids } = await followed([streamed([opening, block(event(1))])], {
    ...asked,
    since: '2026-01-01T00:00:00Z',
    until: 1,
  });
  expect(ids).toEqual(['evt_1']);
  const query = 'types=order.failed%2Cwebhook.test&delivery_id=dlv_1&batch_id=bat_1';
  expect(sent[0]?.path).toBe(`/v2/events/stream?${query}&since=2026-01-01T00%3A00%3A00Z`);
  expect(sent[0]?.headers).toMatchObject({ accept: 'text/event-stream', 'x-api-key': 'wb_test_abc' });
  expect(sent[0]?.headers).not.toHaveProperty('last-event-id');
  const after = await followed([streamed([block(event(2))])], { after: 'evt_1', since: now, until: 1 });
  expect(after.sent[0]?.path).toBe('/v2/events/stream');
  expect(after.sent[0]?.headers['last-event-id']).toBe('evt_1');
});

test('a lost stream is reopened after the last event, and no event is repeated', async () => {
  const { ids, sent, waits, heard } = await followed(
    [
      streamed([opening, block(event(1)), block(event(2)), block(event(3)).slice(0, 40)]),
      refused(),
      refusal(503, 'storage_unavailable'),
      streamed([block(event(2)), block(event(3))], new Unreachable('It broke.')),
      streamed([block(event(4))], 'waits'),
    ],
    { until: 4 },
  );
  expect(ids).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_4']);
  const lasts = ['none', 'evt_2', 'evt_2', 'evt_2', 'evt_3'];
  expect(sent.map(({ headers }) => headers['last-event-id'] ?? 'none')).toEqual(lasts);
  expect(waits).toEqual([1_000, 2_000, 4_000, 1_000]);
  expect(heard).toEqual([
    'open',
    'The service closed the event stream.',
    'No response from the service: connection refused.',
    'Said: storage_unavailable.',
    'open',
    'It broke.',
    'open',
  ]);
});

test('before the first event it resumes from its first opening, or from the service’s position', async () => {
  const ended = streamed([opening]);
  const { sent } = await followed([ended, refused(), streamed([block(event(1))])], { until: 1 });
  const since = `/v2/events/stream?since=${encodeURIComponent(now)}`;
  expect(sent.map(({ path }) => path)).toEqual(['/v2/events/stream', since, since]);
  const told = await followed([streamed(['id: evt_7\n\n']), streamed([block(event(8))])], { until: 1 });
  expect(told.sent[1]?.headers['last-event-id']).toBe('evt_7');
  expect(told.ids).toEqual(['evt_8']);
});

test('the wait doubles up to 15 s, unless the service asks for another', async () => {
  const lost = Array.from({ length: 6 }, refused);
  const busy = refusal(429, 'rate_limited', { 'retry-after': '40' });
  const { waits } = await followed([streamed([opening]), ...lost, busy, streamed([block(event(1))])], {
    until: 1,
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 40_000]);
});

test('the first opening fails like any call', async () => {
  const { error, waits, heard } = await followed([refused(), refused(), refused(), refused()]);
  expect(error).toMatchObject({ name: 'Unreachable' });
  expect(waits).toHaveLength(3);
  expect(heard).toEqual([]);
  const denied = await followed([refusal(401, 'unauthorized')]);
  expect(denied.error).toMatchObject({ name: 'ApiError', status: 401, code: 'unauthorized' });
});

test('a refusal ends it, also at a reopening, and so does a response that is no stream', async () => {
  const { error, ids } = await followed([streamed([block(event(1))]), refusal(403, 'forbidden')]);
  expect(error).toMatchObject({ name: 'ApiError', status: 403 });
  expect(ids).toEqual(['evt_1']);
  const page = await followed([json(200, { hello: 'proxy' })]);
  expect(page.error).toMatchObject({ code: 'unexpected_answer', status: 200 });
});

test('an event of the other mode, or an invalid one, ends it', async () => {
  const chunks = [block(event(1)), block(event(2, { test_mode: false }))];
  const wrong = streamed(chunks, 'waits');
  const { error, ids } = await followed([wrong], {}, true);
  expect(ids).toEqual(['evt_1']);
  expect(error).toMatchObject({ name: 'ModeMismatch', written: null });
  expect(wrong.isClosed()).toBe(true);
  const nonsense = await followed([streamed(['data: {"a":1}\n\n'])]);
  expect(nonsense.error).toMatchObject({ code: 'unexpected_answer' });
});

test('the events do not depend on how the bytes are split', async () => {
  const text =
    opening +
    [1, 2, 3].map((number) => block(event(number, { data: JSON.parse('{"name":"Zoë 🍕"}') }))).join('');
  for (const size of [1, 2, 3, 7, 64, text.length]) {
    const chunks = text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
    const { ids } = await followed([streamed(chunks)], { until: 3 });
    expect(ids).toEqual(['evt_1', 'evt_2', 'evt_3']);
  }
});

test('an abort ends it quietly: while opening, while waiting, and between two attempts', async () => {
  const open = streamed([opening], 'waits');
  const later = async (script: (WireResponse | Error)[], options: Partial<FollowOptions> = {}) => {
    const controller = new AbortController();
    const done = followed(script, { signal: controller.signal, ...options });
    await new Promise((resolve) => setTimeout(resolve, 10));
    controller.abort();
    return done;
  };
  expect(await later([open])).toMatchObject({ error: null, ids: [] });
  expect(open.isClosed()).toBe(true);
  const gone = new AbortController();
  gone.abort();
  expect(await followed([], { signal: gone.signal })).toMatchObject({ error: null, sent: [] });
});

test('a response that arrives too late is closed', async () => {
  const { promise, resolve } = Promise.withResolvers<WireResponse>();
  let asked = 0;
  const transport = () => {
    asked += 1;
    return promise;
  };
  const { client } = scripted([], { transport });
  const controller = new AbortController();
  const events = client.follow({ signal: controller.signal });
  const first = events.next();
  await expect.poll(() => asked).toBe(1);
  controller.abort();
  expect(await first).toMatchObject({ done: true });
  const late = streamed([block(event(1))], 'waits');
  resolve(late);
  await expect.poll(late.isClosed).toBe(true);
});

test('a consumer that stops closes the stream', async () => {
  const open = streamed([block(event(1)), block(event(2))], 'waits');
  const { client } = scripted([open]);
  for await (const { id } of client.follow({ signal: new AbortController().signal })) {
    expect(id).toBe('evt_1');
    break;
  }
  expect(open.isClosed()).toBe(true);
});

test('if the service no longer has the last event, it resumes from its first opening', async () => {
  const { ids, sent, heard } = await followed(
    [
      streamed([opening, block(event(1))]),
      refusal(404, 'record_not_found'),
      streamed([opening, block(event(2))], 'waits'),
    ],
    { until: 2 },
  );
  expect(ids).toEqual(['evt_1', 'evt_2']);
  expect(sent[2]?.path).toBe(`/v2/events/stream?since=${encodeURIComponent(now)}`);
  expect(sent[2]?.headers).not.toHaveProperty('last-event-id');
  expect(heard).toContain('The service no longer knows the last event.');
  const gone = await followed([
    streamed([block(event(1))]),
    refusal(404, 'record_not_found'),
    refusal(404, 'record_not_found'),
  ]);
  expect(gone.error).toMatchObject({ name: 'ApiError', status: 404 });
});

test('it counts as open with its first bytes, as proxies may hold them back', async () => {
  const held = streamed([], new Unreachable('It was silent.'));
  const { heard } = await followed([held, streamed([opening, block(event(1))])], { until: 1 });
  expect(heard).toEqual(['It was silent.', 'open']);
});

test('a stream that ends as soon as it is open is reopened with growing waits, until one lasts', async () => {
  const short = () => streamed([opening]);
  const { waits } = await followed([short(), short(), short(), short(), streamed([block(event(1))])], {
    until: 1,
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000]);
  let time = startedAt;
  function* long() {
    yield opening;
    time += 10_000;
  }
  const script = [short(), short(), streamed(long()), short(), streamed([block(event(1))])];
  const { client, waits: after } = scripted(script, { wallNow: () => time });
  for await (const _ of client.follow({ signal: new AbortController().signal })) break;
  expect(after).toEqual([1_000, 2_000, 1_000, 2_000]);
});
