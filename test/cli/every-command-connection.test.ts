import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectionFlagNames, flagLabel } from '../../src/cli/kit/args/command-input.ts';
import { addContextFlags } from '../../src/cli/kit/args/context-flags.ts';
import { globalFlags } from '../../src/cli/kit/args/global-flags.ts';
import { invocation } from '../../src/cli/kit/result/message.ts';
import { initialProfiles } from '../../src/cli/settings/profiles.ts';
import { profilesFile } from '../../src/cli/settings/settings.ts';
import { oneOf } from '../in-part.ts';
import { commands } from './commands-of-tree.ts';
import { lineOf } from './every-line.ts';
import { everyRecord } from './every-record.ts';
import { runsOf } from './every-run.ts';
import { errorOf, freshHome, waybill } from './harness.ts';
import { orderLine } from './sandbox.ts';

const records = await everyRecord();
const ran = runsOf(records);

/** Values that no command can use, with the error of one that tries to. */
const unusable = [
  ['--profile', 'nosuch', 'profile_not_found'],
  ['--base-url', 'ftp://a.test', 'usage'],
  ['--api-key-file', 'nosuch', 'usage'],
] as const;

/** Commands that report what is set, unusable or not. */
const reporting: readonly string[] = ['doctor', 'config list', 'config get', 'profiles list'];

describe.each(commands.map((entry, place) => ({ ...entry, place })))('$words', ({ place, ...entry }) => {
  const { words, command } = entry;
  const { asksAlone = false } = lineOf(entry, records.ids);
  const isReporting = (flag: string) => reporting.includes(words) && takes(flag);
  const takes = (flag: string) => command.connectionFlags.some((name) => flagLabel(name) === flag);

  test.skipIf(asksAlone).each(unusable.filter(oneOf(3, place % 3)))(
    '%s is used or refused',
    async (flag, value, code) => {
      if (isReporting(flag)) return;
      const { exit, stdout, stderr } = await ran(entry, [flag, value, '--json']);
      const error = errorOf(stderr.trim().split('\n').at(-1) ?? '');
      const expected = takes(flag) ? [code, 'usage'] : ['unknown_flag'];
      expect([stdout, exit === 2 || exit === 5, expected]).toEqual([
        '',
        true,
        expect.arrayContaining([error.code]),
      ]);
    },
  );

  // That each of the others sends something is in every-command-answers.test.ts.
  test.skipIf(asksAlone)('--curl is refused by what sends nothing', async () => {
    // That each of the others sends something is in every-command-answers.test.ts.
    if (takes('--curl')) return;
    const { stderr } = await ran(entry, ['--curl']);
    expect(stderr).toContain('There is no flag --curl');
  });

  test('a next step with this command has the flags of the account that it takes, and no others', () => {
    const account = ['--profile', 'a', '--base-url', 'b', '--api-key-file', 'c'];
    const { context = [] } = addContextFlags(invocation(words), { account, format: [] });
    expect(context.filter((_, index) => index % 2 === 0 && !takes(context[index] ?? ''))).toEqual([]);
    if (command.effect !== 'none') expect(context).toEqual(account);
  });
});

test('the flags of a connection are those that a list names', () => {
  expect(connectionFlagNames.filter((name) => !Object.hasOwn(globalFlags, name))).toEqual([]);
});

const onDatabases = commands.filter(({ command, words }) => {
  return Object.hasOwn(command.flags, 'database') && command.effect === 'none' && words !== 'serve';
});

/** A home whose current profile is another service, and whose embedded database has an order. */
async function homeOfAnotherService(): Promise<string> {
  const home = freshHome();
  await waybill(orderLine, { home });
  const file = profilesFile({ environment: {}, platform: 'linux', home });
  mkdirSync(join(file, '..'), { recursive: true });
  const profiles = {
    ...initialProfiles.profiles,
    shop: { base_url: 'https://prod.example' },
    limited: { embedded: true, api_key: 'wb_test_read', key_permission: 'read' },
  };
  writeFileSync(file, JSON.stringify({ current: 'shop', profiles }));
  writeFileSync(join(home, 'shop.db'), '');
  return home;
}

/** Nothing may change it. */
const homeOfShop = await homeOfAnotherService();
const filesOfShop = readdirSync(homeOfShop, { recursive: true });

describe.each(onDatabases.filter(oneOf(3)))('$words works on a database', (entry) => {
  const all = lineOf(entry, records.ids).words;
  const at = all.indexOf('--database');
  const words = all.toSpliced(at, 2);

  test.each([...connectionFlagNames.map(flagLabel)])('%s is refused with that reason', async (flag) => {
    const value = flag === '--curl' ? [] : ['x'];
    const { exit, stderr } = await waybill([...words, flag, ...value, '--json']);
    expect([exit, errorOf(stderr)]).toEqual([
      2,
      expect.objectContaining({
        code: 'unknown_flag',
        hint: 'This command works on a database: name it with --database.',
      }),
    ]);
  });

  const embedded = { WAYBILL_PROFILE: 'sandbox' };
  const selected = [
    [
      'prod.example, which WAYBILL_BASE_URL selects',
      { WAYBILL_BASE_URL: 'https://u:p@prod.example', ...embedded },
    ],
    ['prod.example, which the profile shop selects', {}],
    ['prod.example, which the profile shop selects', { WAYBILL_PROFILE: 'shop' }],
    ['without a key: that of WAYBILL_API_KEY does not', { WAYBILL_API_KEY: 'wb_test_read', ...embedded }],
    ['without a key: that of WAYBILL_API_KEY_FILE does', { WAYBILL_API_KEY_FILE: 'ro.txt', ...embedded }],
    ['that of the profile limited, with read permission, does not', { WAYBILL_PROFILE: 'limited' }],
  ] as const;
  test.each(selected)('"%s": --database must be given', async (reason, env) => {
    const { exit, stdout, stderr } = await waybill([...words, '--json'], { home: homeOfShop, env });
    expect([exit, stdout, errorOf(stderr)]).toEqual([
      2,
      '',
      expect.objectContaining({ code: 'missing_input', missing: ['--database'] }),
    ]);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('u:p');
    expect(readdirSync(homeOfShop, { recursive: true })).toEqual(filesOfShop);
  });

  test('it names the database on stderr, with JSON as JSON', async () => {
    const { stderr } = await ran(entry, []);
    expect(stderr).toMatch(/^Database: \/.*\.db$/m);
    const json = await ran(entry, ['--json']);
    const [first = ''] = json.stderr.split('\n');
    expect(JSON.parse(first)).toEqual({ type: 'context', database: expect.stringMatching(/\.db$/) });
  });
});

test('where no order has a person, the answer names the database', async () => {
  const home = freshHome();
  await waybill(orderLine, { home });
  const { stdout, stderr } = await waybill(['admin', 'erase', '--phone', '3125551005', '--yes'], { home });
  expect(stdout + stderr).toMatch(/No order and no driver in \/.*waybill\.db has this person\./);
});
