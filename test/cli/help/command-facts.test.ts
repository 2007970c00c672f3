import { describe, expect, test } from 'vitest';
import { exits, ownCodes, usualCodes } from '../../../src/cli/errors/error-codes.ts';
import { checkAnswerFields, collectFacts } from '../../../src/cli/help/command-facts.ts';
import { commandErrors, exitsOf } from '../../../src/cli/help/command-help.ts';
import { topics } from '../../../src/cli/help/help-topics.ts';
import { errorTable } from '../../../src/contract/errors.ts';
import { commands } from '../commands-of-tree.ts';
import { waybill } from '../harness.ts';

const words = commands.map((entry) => entry.words);

describe.each(commands)('$words', ({ command, path }) => {
  const known = collectFacts(path, command);

  test('names the operations that it calls, and related commands', () => {
    expect(known.calls.length > 0).toBe(command.effect !== 'none' || path[0] === 'login');
    expect(known.related.length).toBeGreaterThan(0);
    expect(words).toEqual(expect.arrayContaining([...known.related]));
    expect(known.related).not.toContain(path.join(' '));
  });

  test('its page has its exit codes, its error codes and its fields', async () => {
    const { stdout } = await waybill([...path, '--help']);
    const [, table = ''] = /\nExit codes\n((?: {2}.*\n)+)/.exec(stdout) ?? [];
    const common = /As of any command \(waybill help exit-codes\): ([\d,\s]+)\./.exec(table)?.[1] ?? '';
    const own = [...table.matchAll(/^ {2}(\d+) {2}/gm)].map(([, code]) => Number(code));
    const codes = [...own, ...common.split(',').map(Number)].toSorted((left, right) => left - right);
    expect(codes).toEqual(exitsOf(command, known).map(({ code }) => code));
    for (const { code } of commandErrors(known)) expect(stdout).toContain(`  ${code} (`);
    for (const { shape } of known.answers) {
      if (shape.kind !== 'object') throw new Error('an answer is an object');
      for (const { name } of shape.fields) expect(stdout).toMatch(new RegExp(`^ {2}${name}\\??(?: |$)`, 'm'));
    }
  });
});

test('the list of all commands is short enough to be read, and names each', async () => {
  const { stdout } = await waybill(['commands', '--brief', '--json']);
  const listed: { command: string; summary: string }[] = JSON.parse(stdout);
  const all: { command: string }[] = JSON.parse((await waybill(['commands', '--json'])).stdout);
  expect(listed.map(({ command }) => command)).toEqual(all.map(({ command }) => command));
  expect(Object.keys(listed[0] ?? {})).toEqual(['command', 'effect', 'summary']);
  expect(stdout.length).toBeLessThan(25_000);
  const group = await waybill(['commands', 'stores', '--brief', '--json']);
  expect(JSON.parse(group.stdout)).toEqual(listed.filter(({ command }) => command.startsWith('stores ')));
});

test.each([
  ['keys create', '--expires-at WHEN  '],
  ['drivers add', '--phone-number PHONE, --phone  '],
  ['drivers add', '--vehicle-type NAME, --vehicle  '],
])('the short page of %s names a flag as its examples do: %s', async (line, flag) => {
  const { stdout } = await waybill([...line.split(' '), '-h']);
  expect(stdout).toContain(flag.trimEnd());
  expect(stdout).not.toContain(`${flag.trimEnd()}, `);
});

test.each([
  ['ship', 'service,id,status,deliveries.fee'],
  ['deliveries retry', 'id,service,status,fee'],
  ['quotes list', 'status,data.id,data.fee'],
  ['deliveries explain', null],
])('the short page of %s names the usual fields where they stand: %s', async (line, fields) => {
  const { stdout } = await waybill([...line.split(' '), '-h']);
  const named = /or fields, such\s+as\s+(\S+)/.exec(stdout)?.[1] ?? null;
  expect(named).toBe(fields);
});

test('a topic prints the table that the code uses', async () => {
  const short = (await waybill(['help', 'exit-codes'])).stdout;
  const asked = exits.map(({ code }) => waybill(['help', 'exit-codes', `${code}`]));
  const codes = (await Promise.all(asked)).map(({ stdout }) => stdout);
  for (const { code, meaning } of exits) expect(short.replace(/\s+/g, ' ')).toContain(`${code} ${meaning}`);
  expect(short.length).toBeLessThan(1500);
  for (const code of Object.keys({ ...errorTable, ...ownCodes, ...usualCodes }))
    expect(codes.join('\n')).toMatch(new RegExp(`^ +\\d+ {2}${code}(?: |$)`, 'm'));
  const named = topics.map(({ name }) => name);
  expect(named).toEqual(['exit-codes', 'statuses', 'environment', 'output', 'scenarios']);
  for (const name of named) expect((await waybill(['help', name, '--json'])).exit).toBe(0);
});

test('the JSON help of a command is its entry in `commands`', async () => {
  const { stdout } = await waybill(['help', 'orders', 'get', '--json']);
  const all: unknown = JSON.parse((await waybill(['commands', '--json'])).stdout);
  expect(all).toContainEqual(JSON.parse(stdout));
  expect(JSON.parse(stdout)).toMatchObject({
    json: expect.arrayContaining([
      expect.objectContaining({
        form: 'object',
        fields: expect.objectContaining({
          id: 'string',
          pickup_at: 'time or null',
          delivery: 'a Delivery or null?',
        }),
      }),
    ]),
    error_codes: expect.arrayContaining(['record_not_found', 'unauthorized']),
    related: expect.arrayContaining(['deliveries get']),
  });
});

const inputOf = (flags: readonly string[], ...typed: string[]) => ({
  flags: new Map(flags.map((name) => [name, ['']])),
  words: typed,
});

test.each([
  ['deliveries cancel', inputOf([], 'dlv_1'), 'status', true],
  ['deliveries cancel', inputOf([], 'dlv_1'), 'refund', false],
  ['deliveries cancel', inputOf(['price'], 'dlv_1'), 'refund', true],
  ['deliveries cancel', inputOf(['price'], 'dlv_1'), 'courier_name', false],
  ['deliveries cancel', inputOf(['where']), 'new_delivery_id', true],
  ['deliveries cancel', inputOf(['from']), 'courier_name', false],
  ['deliveries retry', inputOf([], 'dlv_1'), 'new_delivery_id', false],
  ['deliveries note', inputOf([], 'dlv_1', 'text'), 'text', true],
  ['orders create', inputOf([]), 'order_count', false],
  ['orders create', inputOf(['auto']), 'order_count', true],
  ['orders create', inputOf(['auto']), 'dropoff_name', false],
  ['orders create', inputOf(['auto', 'wait']), 'counts.pending', true],
  ['deliveries reschedule', inputOf([], 'dlv_1'), 'tracking_url', true],
  ['stores create', inputOf([]), 'paused', false],
])('%s %j: the field %s is known before it writes: %s', (name, given, field, isKnown) => {
  const command = commands.find((entry) => entry.words === name)?.command;
  if (command === undefined) throw new Error(name);
  const check = () => checkAnswerFields(command, [field], given);
  if (isKnown) expect(check()).toBe(true);
  else expect(check).toThrow(`Unknown field "${field}". Nothing was changed.`);
});
