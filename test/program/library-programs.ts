import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { root, type Served } from './run.ts';

/** The programs in the page of the guide. */
export const guidePrograms = [
  ...readFileSync(join(root, 'src', 'guide', 'library.md'), 'utf8').matchAll(/^```js\n([\s\S]*?)^```/gm),
].map(([, code = '']) => code);

const commonJs = `
const assert = require('node:assert/strict');
const { ApiError, createClient } = require('waybill');
const { verifyWebhook, WebhookRefused } = require('waybill/webhooks');
const { createService } = require('waybill/service');
(async () => {
  const service = await createService({ now: '2026-03-02T12:00:00Z' });
  assert.equal((await service.now()).toISOString(), '2026-03-02T12:00:00.000Z');
  await assert.rejects(service.client.orders.get({ params: { order_id: 'none' } }), ApiError);
  assert.throws(() => verifyWebhook('{}', {}, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), WebhookRefused);
  // Both kinds of module have the same classes.
  assert.equal((await import('waybill')).ApiError, ApiError);
  assert.equal((await import('waybill/webhooks')).WebhookRefused, WebhookRefused);
  assert.equal((await import('waybill/service')).createService, createService);
  assert.throws(() => createClient({ baseUrl: 'shop.example', apiKey: 'x' }), { name: 'BadBaseUrl' });
  await service.close();
})();
`;

const typed = `
import { ApiError, createClient, type Delivery, type Event, waitFor } from 'waybill';
import { createService, type Service } from 'waybill/service';
import { signWebhook, verifyWebhook } from 'waybill/webhooks';

export async function totalOf(service: Service): Promise<number> {
  const client = createClient({ baseUrl: service.url, apiKey: service.keys.test ?? '', fetch, maxNetworkRetries: 1 });
  let total = 0;
  for await (const delivery of client.deliveries.list({ query: { status: ['delivered'] } })) total += delivery.fee;
  const { data } = await client.deliveries.get({ params: { deliveryid: 'dlv_1' } });
  const delivery: Delivery = data;
  const page = await client.orders.list({ query: { limit: 5 }, signal: AbortSignal.timeout(5_000), timeout_ms: 1_000 });
  const cursor: string | null = page.data.next_cursor;
  const order = await waitFor(() => client.orders.get({ params: { order_id: cursor ?? '' } }), ({ status }) => status === 'open');
  // @ts-expect-error A field that a delivery does not have.
  delivery.nothing;
  // @ts-expect-error A required field is missing.
  await client.routes.create({ body: {} });
  // @ts-expect-error One record is no list.
  for await (const each of client.orders.get({ params: { order_id: '' } })) total += each;
  return total + order.order_value;
}

export function describe(event: Event): string {
  if (event.type === 'delivery.updated') return event.data.status;
  if (event.type === 'route_quotes.completed') return String(event.data.data?.[0]?.cost_of_delivery);
  // @ts-expect-error An event that was not told apart has no status of a delivery.
  return event.data.tracking_url;
}

export const paramOf = (error: unknown): string | null => (error instanceof ApiError ? error.param : null);
export const event = verifyWebhook('{}', new Map<string, string>().size === 0 ? {} : { 'webhook-id': ['x'] }, ['whsec_'], { tolerance_ms: 1 });
export const headers: Headers = new Headers(signWebhook('{}', 'whsec_', { at: new Date(0) }));
export const service = createService({ seed: 'x', now: new Date(0) });
`;

const compilerOptions = {
  ...{ strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: [] },
  skipDefaultLibCheck: true,
};

function run(folder: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, options);
  expect(status, `${words.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
}

/** What programs read to call a service. */
export const callerEnv = ({ url, keys }: Pick<Served, 'url' | 'keys'>) => ({
  WAYBILL_BASE_URL: url,
  WAYBILL_API_KEY: keys.test,
});

/** Runs programs that import the package in a folder whose node_modules has it; some call the service. */
export async function runPrograms(folder: string, served: Served): Promise<void> {
  for (const [index, code] of guidePrograms.entries()) {
    writeFileSync(join(folder, `guide-${index}.mjs`), code);
    run(folder, [`guide-${index}.mjs`], callerEnv(served));
  }
  writeFileSync(join(folder, 'common.cjs'), commonJs);
  run(folder, ['common.cjs']);
}

/** Compiles programs that import the package, as ES module and as CommonJS, with the types of libraries checked. */
export function compilePrograms(folder: string, files = ['typed.mts', 'typed.cts']): void {
  for (const file of files) writeFileSync(join(folder, file), typed);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  run(folder, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', '.']);
}
