import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scopeOf as scopeOfLine } from '../../../src/cli/completion/id-cache.ts';
import { merged, recordsIn, recordsText, type Seen } from '../../../src/cli/completion/id-records.ts';
import { scopeOf } from '../../../src/cli/completion/save-seen-ids.ts';
import { readSettings } from '../../../src/cli/settings/settings.ts';
import { freshHome } from '../harness.ts';

const home = freshHome();
mkdirSync(join(home, '.config', 'waybill'), { recursive: true });
writeFileSync(join(home, 'key'), 'wb_test_of_a_file\n');
writeFileSync(
  join(home, '.config', 'waybill', 'profiles.json'),
  JSON.stringify({
    current: 'shop',
    profiles: {
      sandbox: { embedded: true, mode: 'test', api_key: 'wb_test_made' },
      shop: { base_url: 'https://shop.example', mode: 'live', api_key: 'wb_live_1' },
      filed: { base_url: 'https://shop.example', api_key_file: join(home, 'key') },
      safe: { base_url: 'https://shop.example', api_key_in: 'keychain', api_key_shown: 'wb_live_…1234' },
    },
  }),
);

type Asked = Parameters<typeof readSettings>[0];

const none: Asked = { profile: undefined, baseUrl: undefined, apiKeyFile: undefined };

/** The same choices as flags of a command, and as environment variables. */
const choices: [Partial<Asked>, Record<string, string>][] = [
  [{}, {}],
  [{ profile: 'sandbox' }, {}],
  [{ profile: 'filed' }, {}],
  [{ profile: 'safe' }, {}],
  [{ baseUrl: 'https://other.example', apiKeyFile: 'key' }, {}],
  [{ baseUrl: 'https://shop.example' }, {}],
  [{ profile: 'sandbox', baseUrl: 'https://shop.example' }, { WAYBILL_API_KEY: 'wb_test_2' }],
  [{}, { WAYBILL_API_KEY: ' wb_test_2 ' }],
  [{ apiKeyFile: 'key' }, { WAYBILL_API_KEY: 'wb_test_2' }],
];

test.each(choices)('completion reads the cache where the program writes it: %j %j', (asked, environment) => {
  const place = { environment, platform: 'linux', home, folder: home };
  const origins = new Map(Object.keys(asked).map((name) => [name, 'flag'] as const));
  const texts = new Map(
    Object.entries(asked).map(([name, text = '']) => [
      `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      text,
    ]),
  );
  expect(scopeOfLine(texts, place)).toEqual(scopeOf(readSettings({ ...none, ...asked }, origins, place)));
});

const seen = (id: string, more: Partial<Seen> = {}): Seen => ({
  kind: 'delivery',
  id,
  status: '',
  reference: '',
  at: 1,
  ...more,
});

test('records are read back unchanged, and only the newest are kept', () => {
  const records = [
    seen('dlv_1', { status: 'delivered', reference: '#1 2' }),
    seen('ord_1', { kind: 'order' }),
  ];
  expect(recordsIn(recordsText(records))).toEqual(records);
  expect(recordsIn(recordsText(records), 'order')).toEqual(records.slice(1));
  const many = Array.from({ length: 300 }, (_, index) => seen(`dlv_${index}`));
  expect(merged([seen('dlv_new')], many, new Set()).map(({ id }) => id)).toEqual([
    'dlv_new',
    ...many.slice(0, 199).map(({ id }) => id),
  ]);
});

test('fields missing in a newer record keep their values, and deleted records are removed', () => {
  const older = [seen('dlv_1', { status: 'request', reference: '#1' }), seen('dlv_2')];
  expect(merged([seen('dlv_1', { status: 'delivered' })], older, new Set(['dlv_2']))).toEqual([
    seen('dlv_1', { status: 'delivered', reference: '#1' }),
  ]);
});
