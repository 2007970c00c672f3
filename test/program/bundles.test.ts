import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createService } from '../../src/library/service.ts';
import { orderRequest } from '../service/fixture.ts';
import { root } from './run.ts';

interface BuildOptions {
  platform: 'node' | 'browser';
  format: 'esm' | 'cjs' | 'iife';
  define?: Record<string, string>;
}

interface Esbuild {
  build(options: object): Promise<{ outputFiles: { text: string }[] }>;
}

const require = createRequire(import.meta.url);
const { build }: Esbuild = require('esbuild');

/** A program of a shop, which ends with the names of what it found. */
const program = `
import { ApiError, createClient } from 'waybill';
import { signWebhook, verifyWebhook, WebhookRefused } from 'waybill/webhooks';

async function run() {
  const client = createClient({ baseUrl: BASE_URL, apiKey: API_KEY, mode: 'test' });
  const { data: delivery } = await client.deliveries.create({ body: ORDER });
  const found = [];
  for await (const { id } of client.deliveries.list({ query: { limit: 1 } })) found.push(id === delivery.id);
  const refused = await client.deliveries.get({ params: { deliveryid: 'none' } }).catch((error) => error);
  found.push(refused instanceof ApiError && refused.code);
  const stop = new AbortController();
  for await (const event of client.follow({ since: delivery.created_at, signal: stop.signal })) {
    found.push(event.type);
    stop.abort();
  }
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = JSON.stringify({ id: 'evt_1', type: 'webhook.test' });
  found.push(verifyWebhook(body, signWebhook(body, secret), ['whsec_AAAA', secret]).type);
  try {
    verifyWebhook(body + ' ', new Headers(signWebhook(body, secret)), secret);
  } catch (error) {
    found.push(error instanceof WebhookRefused && error.code);
  }
  return found.join();
}
run().then(FINISH, (error) => FINISH(String(error.stack)));
`;

const expected = 'true,record_not_found,delivery.created,webhook.test,webhook_refused';

/** What Node 20 and edge runtimes lack of the Node that runs the tests. */
const newer = `
delete Promise.withResolvers;
delete Promise.try;
delete Object.groupBy;
delete Map.groupBy;
delete Array.fromAsync;
delete URL.parse;
delete globalThis.Iterator;
delete RegExp.escape;
for (const name of ['union', 'intersection', 'difference', 'isSubsetOf', 'isSupersetOf']) delete Set.prototype[name];
`;

const folder = mkdtempSync(join(tmpdir(), 'waybill-bundles-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  const { status, stderr, stdout } = spawnSync(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', folder],
    { cwd: root, encoding: 'utf8' },
  );
  expect(status, stderr).toBe(0);
  const [{ filename }]: [{ filename: string }] = JSON.parse(stdout);
  const installed = join(folder, 'node_modules', 'waybill');
  mkdirSync(installed, { recursive: true });
  const untar = ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1'];
  expect(spawnSync('tar', untar).status).toBe(0);
});

async function bundleOf(code: string, options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder },
    ...{ bundle: true, minify: true, write: false, logLevel: 'silent', ...options },
  });
  return outputFiles[0]?.text ?? '';
}

/** The program for a service that runs during the test. */
async function programBundle(finish: string, options: BuildOptions): Promise<string> {
  const service = await createService();
  onTestFinished(() => service.close());
  const define = {
    BASE_URL: JSON.stringify(service.url),
    API_KEY: JSON.stringify(service.keys.test),
    ORDER: JSON.stringify(orderRequest()),
    FINISH: finish,
  };
  return bundleOf(program, { define, ...options });
}

async function runOnNode(name: string, code: string): Promise<string> {
  writeFileSync(join(folder, name), code);
  writeFileSync(join(folder, 'newer.cjs'), newer);
  const words = ['--require', './newer.cjs', name];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder });
  return stdout.trim();
}

test.each([
  ['esm', 'mjs'],
  ['cjs', 'cjs'],
] as const)('a program runs from one file of %s, with what Node 20 has', async (format, end) => {
  const code = await programBundle('console.log', { platform: 'node', format });
  expect(await runOnNode(`program.${end}`, code)).toBe(expected);
});

test('a program runs where there is nothing of Node', async () => {
  const code = await programBundle('finish', { platform: 'browser', format: 'iife' });
  expect(code).not.toMatch(/node:|\brequire\(/);
  const { promise, resolve } = Promise.withResolvers<string>();
  // The context has globals of its own, but `URL` is the one of this process: the other tests need all of it.
  const own = newer.replace('delete URL.parse;', '');
  const web = { AbortController, Headers, TextDecoder, TextEncoder, URL, atob, btoa, clearTimeout, crypto };
  runInContext(own + code, createContext({ ...web, fetch, setTimeout, finish: resolve }));
  expect(await promise).toBe(expected);
});

test('the client has at most 120 kB, and the check of webhooks 30 kB', async () => {
  const options: BuildOptions = { platform: 'browser', format: 'esm' };
  const client = (await bundleOf("export { createClient } from 'waybill'", options)).length;
  const webhooks = (await bundleOf("export { verifyWebhook } from 'waybill/webhooks'", options)).length;
  console.log(`Minified: client ${client} bytes, webhooks ${webhooks} bytes`);
  expect(client).toBeLessThan(120_000);
  expect(webhooks).toBeLessThan(30_000);
});
