import { writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../local-server.ts';
import { waybill } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';
import { receiver } from '../../webhook-receiver.ts';
import {
  type Case,
  follow,
  healed,
  key,
  type Patient,
  patient,
  server,
  stored,
  unset,
} from './broken-setups.ts';

/** An endpoint that rejects everything, with an account of its own. */
const box = await sandbox();
const dead = 'http://127.0.0.1:9/hooks';
const { url } = await receiver();
const endpoint = String((await box.json(['webhooks', 'create', dead])).id);
const merchant = (): Patient => {
  const made = patient({ base_url: 'http://shop.test' });
  return { ...made, options: { ...made.options, transport: box.transport } };
};
const stranger = 'wb_test_0123456789abcdef';

const cases: Record<string, Case> = {
  'a key that this database does not know': {
    check: 'key',
    broken: async () => {
      const made = await stored(() => {});
      const profiles = { sandbox: { embedded: true, mode: 'test', api_key: stranger } };
      writeFileSync(made.settings, JSON.stringify({ current: 'sandbox', profiles }), { mode: 0o600 });
      return made;
    },
    says: 'The next command makes one.',
    heal: (_, { options }) => waybill(['orders', 'list'], options),
  },
  'a key for a database that is yet to be made': {
    check: 'key',
    broken: () => patient(null, { WAYBILL_API_KEY: stranger }),
    says: 'Give WAYBILL_API_KEY a key of this service, or unset it.',
    heal: unset('WAYBILL_API_KEY'),
  },
  'a service without a key': {
    check: 'service',
    broken: () => patient({ api_key: undefined }),
    says: 'Log in, or set WAYBILL_API_KEY. waybill login',
    heal: follow,
  },
  'a key that the service does not know': {
    check: 'key',
    broken: () => patient({ api_key: stranger }),
    says: 'waybill login',
    heal: follow,
  },
  'a key of the environment that the service does not know': {
    check: 'key',
    broken: () => patient({}, { WAYBILL_API_KEY: stranger }),
    says: 'Give WAYBILL_API_KEY a key of this service, or unset it.',
    heal: unset('WAYBILL_API_KEY'),
  },
  'a server of another kind': {
    check: 'service',
    broken: async () => patient({}, { WAYBILL_BASE_URL: `${server.url}/nowhere`, WAYBILL_API_KEY: key }),
    says: 'Correct WAYBILL_BASE_URL, or unset it.',
    heal: unset('WAYBILL_BASE_URL'),
  },
  'an address at which nothing listens': {
    check: 'service',
    broken: async () => patient({ base_url: `http://127.0.0.1:${await freePort()}` }),
    says: /^Start the service\. Or the address is wrong: Give the profile .*\. waybill serve --port \d+$/,
    heal: async ({ command }, { options }) => {
      const stop = new AbortController();
      onTestFinished(() => stop.abort());
      const words = `${command} --database shop.db`.split(' ').slice(1);
      void waybill(words, { home: options.home, signal: stop.signal });
      const served = async () => (await waybill(['doctor', '--json'], options)).stdout;
      await expect.poll(served).toContain('"check":"key"');
    },
  },
  'a webhook endpoint that is disabled': {
    check: 'webhooks',
    broken: async () => {
      await box.json(['webhooks', 'update', endpoint, '--disable']);
      return merchant();
    },
    says: `waybill webhooks update ${endpoint} --enable`,
    heal: follow,
  },
  'an endpoint whose attempts fail': {
    check: 'webhooks',
    broken: async () => {
      await box.json(['deliveries', 'create', ...orderLine.slice(2), '--initiate']);
      await box.json(['sandbox', 'advance', '--by', '1h']);
      return merchant();
    },
    says: `waybill webhooks attempts ${endpoint} --failed`,
    heal: async (finding, made) => {
      expect(finding.found).toBe(`the latest attempt at ${dead} failed: the connection was refused`);
      await follow(finding, made);
      await box.json(['webhooks', 'update', endpoint, '--url', url]);
      await box.json(['sandbox', 'advance', '--by', '1d']);
    },
  },
  'events that were given up': {
    check: 'webhooks',
    broken: async () => {
      await box.json(['webhooks', 'update', endpoint, '--url', dead]);
      await box.json(['deliveries', 'create', ...orderLine.slice(2), '--initiate']);
      await box.json(['sandbox', 'advance', '--by', '5d']);
      return merchant();
    },
    says: new RegExp(
      `^Once it takes them again: waybill webhooks attempts ${endpoint} .* \\| waybill events resend - --endpoint ${endpoint}$`,
    ),
    heal: async (finding, made) => {
      await box.json(['webhooks', 'update', endpoint, '--url', url]);
      await follow(finding, made);
      await box.json(['sandbox', 'advance', '--by', '1m']);
    },
  },
  'a proxy that does not answer': {
    check: 'service',
    broken: () =>
      patient(
        { base_url: server.url.replace('127.0.0.1', 'shop.invalid') },
        { HTTP_PROXY: 'http://127.0.0.1:9' },
      ),
    says: 'Check the proxy, or leave the service out: NO_PROXY=shop.invalid',
    // The proxy is no longer the problem: now the name is.
    heal: (_, made) =>
      Object.assign(made.options.env, {
        NO_PROXY: 'shop.invalid',
        WAYBILL_BASE_URL: server.url,
        WAYBILL_API_KEY: key,
      }),
  },
  'an address without a proxy': {
    check: 'proxy',
    broken: () => patient({ base_url: 'http://shop.invalid' }, { HTTP_PROXY: 'nonsense' }),
    says: 'Correct HTTP_PROXY: http://HOST:PORT. Or leave the service out: NO_PROXY=shop.invalid',
    heal: (_, made) => Object.assign(made.options.env, { NO_PROXY: 'shop.invalid' }),
  },
  'a clock that is wrong': {
    check: 'clock',
    broken: () => {
      const made = patient({});
      return { ...made, options: { ...made.options, now: () => Date.now() - 3_600_000 } };
    },
    says: 'Set the clock of this machine; that of a sandbox may be ahead on purpose.',
    heal: (_, made) => Reflect.deleteProperty(made.options, 'now'),
  },
};

test.each(Object.entries(cases))('%s: the remedy is printed and works', (_, one) => healed(one));

test('its commands keep the context of the line, also in a pipe', async () => {
  await box.json(['webhooks', 'update', endpoint, '--disable']);
  const { options } = merchant();
  const { stdout } = await waybill(['doctor', '--profile', 'shop', '--json'], options);
  expect(stdout).toContain(`"waybill --profile shop webhooks update ${endpoint} --enable"`);
});
