import { expect, test } from 'vitest';
import type { Flag } from '../../src/cli/kit/args/flags.ts';
import { isFields } from '../../src/domain/fields.ts';
import { commands } from './commands-of-tree.ts';
import { rowsIn } from './harness.ts';
import { newDelivery, sandbox } from './sandbox.ts';

// Filters of lists and reports: an enumerated one takes several names in either form, any other one never loses a value
// in silence.

const box = await sandbox();
const id = await newDelivery(box, '--initiate');

const lists = commands.filter(
  ({ words, command: { flags, effect } }) =>
    words !== 'events tail' && effect === 'read' && ('limit' in flags || 'period' in flags),
);
/** A filter that is no list, as records are sorted one way at a time. */
const oneWay = ['sort'];
const filters = lists.flatMap(({ words, path, command }) =>
  Object.entries<Flag<unknown>>(command.flags)
    .filter(([name, { kind, group }]) => group !== 'Paging' && !oneWay.includes(name) && kind !== 'switch')
    .map(([name, flag]) => ({ words, path, name, flag })),
);
const dashed = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const enumerated = filters.filter(({ flag }) => flag.choices.length > 1);
test('lists have enumerated filters', () => expect(enumerated.length).toBeGreaterThan(8));

test.each(enumerated.map((each) => [`${each.words} ${dashed(each.name)}`, each] as const))(
  '%s takes a comma list and repetition',
  async (_, { path, name, flag: { choices } }) => {
    const [first = '', second = ''] = choices;
    const flag = dashed(name);
    const joined = await box.run([...path, flag, `${first},${second}`, '--json']);
    expect(joined.exit).toBe(0);
    expect(await box.run([...path, flag, first, flag, second, '--json'])).toEqual(joined);
  },
);

const single = filters.filter(({ flag }) => ['text', 'choice', 'money'].includes(flag.kind));
test.each(single.map((each) => [`${each.words} ${dashed(each.name)}`, each] as const))(
  '%s given twice is refused with how to have both',
  async (_, { path, name, flag: { kind } }) => {
    const flag = dashed(name);
    const values = kind === 'money' ? ['1', '2'] : ['one', 'two'];
    const { exit, stderr } = await box.run([...path, ...values.flatMap((value) => [flag, value])]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('takes one value, not "')]);
  },
);

test('several values find what either finds', async () => {
  const rows = async (...line: string[]) => rowsIn((await box.run(line)).stdout);
  const kinds = async (typed: string) => (await rows('charges', 'list', '--kind', typed)).length;
  expect(await kinds('delivery')).toBe(1);
  expect(await kinds('cancellation,delivery')).toBe(1);
  expect(await kinds('cancellation,return')).toBe(0);
  expect(await rows('audit', 'list', '--by', 'key,courier')).not.toEqual([]);
  expect(await rows('audit', 'list', '--by', 'driver,courier')).toEqual([]);
  const { service } = await box.json(['deliveries', 'get', id]);
  const { account } = await box.json(['whoami']);
  expect(
    await rows('deliveries', 'list', '--provider', String(isFields(account) && account.providers)),
  ).toHaveLength(1);
  expect(await rows('deliveries', 'list', '--provider', String(service))).toHaveLength(1);
});

test('a reference that copies share shows the charges of the latest, and names the others', async () => {
  const again = await newDelivery(box, '--ref', 'twice', '--initiate');
  const last = await newDelivery(box, '--ref', 'twice', '--allow-duplicate-ref', '--initiate');
  const { exit, stdout, stderr } = await box.run(['charges', 'list', '--order', 'twice']);
  expect([exit, stdout.includes(last), stdout.includes(again)]).toEqual([0, true, false]);
  expect(stderr).toMatch(/2 orders have the reference "twice": .* The others: ord_/);
});

test.each([
  ['outcome', 'status'],
  ['price,total_cost', 'fee or details.charges.total_cost'],
])('deliveries list --json=%s suggests %s', async (typed, meant) => {
  const { exit, stderr } = await box.run(['deliveries', 'list', `--json=${typed}`]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`Did you mean ${meant}`)]);
});
