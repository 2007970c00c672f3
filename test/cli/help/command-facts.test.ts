import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exits, ownCodes, usualCodes } from '../../../src/cli/errors/error-codes.ts';
import { factsOf } from '../../../src/cli/help/command-facts.ts';
import { errorsOf, exitsOf, meaningOf } from '../../../src/cli/help/command-help.ts';
import { topics, variables } from '../../../src/cli/help/help-topics.ts';
import { envVarOf, globalFlags } from '../../../src/cli/kit/args/command-input.ts';
import { errorTable } from '../../../src/contract/errors.ts';
import { commands } from '../commands-of-tree.ts';
import { waybill } from '../harness.ts';

const words = commands.map((entry) => entry.words);
const root = join(import.meta.dirname, '../../../src');

/** The text of every file of a folder of src. */
function sources(folder: string): string {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts') && !name.startsWith('help'));
  return files.map((name) => readFileSync(join(root, folder, name), 'utf8')).join('\n');
}

describe.each(commands)('$words', ({ command, path }) => {
  const known = factsOf(path, command);

  test('names the operations that it calls, and related commands', () => {
    expect(known.calls.length > 0).toBe(command.effect !== 'none' || path[0] === 'login');
    expect(known.related.length).toBeGreaterThan(0);
    expect(words).toEqual(expect.arrayContaining([...known.related]));
    expect(known.related).not.toContain(path.join(' '));
  });

  test('its page has its exit codes, its error codes and its fields', async () => {
    const { stdout } = await waybill([...path, '--help']);
    const [, table = ''] = /\nExit codes\n((?: {2}.*\n)+)/.exec(stdout) ?? [];
    const codes = [...table.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(exitsOf(command, known).map(({ code }) => code));
    for (const { code } of errorsOf(known)) expect(stdout).toContain(`  ${code} (`);
    for (const { shape } of known.answers) {
      if (shape.kind !== 'object') throw new Error('an answer is an object');
      for (const { name } of shape.fields) expect(stdout).toMatch(new RegExp(`^ {2}${name}\\??(?: |$)`, 'm'));
    }
  });
});

/** Notes on stderr besides a result, without an error. */
const remarks = [
  ...['quote_replaced', 'not_initiated', 'clock_stands_still', 'waits_for_somebody'],
  ...['reachable', 'event_forgotten', 'stream_ends'],
];
/** The types of the field in results. */
const types = ['string', 'integer'];
/** Codes from the service, or derived from several results. */
const computed = /^(?:delivery_\$|\$)/;

test('every error code of the program is in its table, with its exit code', () => {
  const text = sources('cli');
  const thrown = [...text.matchAll(/new Failure\(\s*(\d+),\s*'(\w+)'/g)].map(([, exit, code = '']) => ({
    exit: Number(exit),
    code,
  }));
  expect(thrown.length).toBeGreaterThan(20);
  for (const { exit, code } of thrown) expect(meaningOf(code), code).toMatchObject({ exit });
  const named = [...text.matchAll(/\bcode: '([a-z_]+)'/g)].map(([, code = '']) => code);
  for (const code of named.filter((each) => ![...remarks, ...types].includes(each) && !computed.test(each)))
    expect(meaningOf(code).code).toBe(code);
});

test('`help environment` lists every variable that is read', () => {
  const text = sources('cli').concat(sources('service'));
  const read = [...text.matchAll(/\b(?:environment|env)(?:\.|\[')([A-Z][A-Z_]+)/g)].map(
    ([, name = '']) => name,
  );
  const destructured = [...text.matchAll(/const \{ ([^}]*) \} = (?:\w+\.)*environment;/g)].flatMap(
    ([, names = '']) => names.match(/[A-Z][A-Z_]+/g) ?? [],
  );
  const documented = [
    ...variables.flatMap(({ name }) => name.split(', ')),
    ...Object.keys(globalFlags).map(envVarOf),
  ];
  const found = new Set([...read, ...destructured]);
  expect([...found].filter((name) => !documented.includes(name) && !ofTheSystem.includes(name))).toEqual([]);
  expect(found).toContain('WAYBILL_API_KEY');
});

/** The user's folders and programs, standard for all programs. */
const ofTheSystem = [
  ...['HOME', 'APPDATA', 'LOCALAPPDATA', 'TMPDIR', 'PATH'],
  // Variables that identify a terminal or a CI.
  ...['TEAMCITY_VERSION', 'WT_SESSION', 'DOMTERM', 'VTE_VERSION', 'TERM_PROGRAM'],
  // The words that a shell passes to completion.
  'WAYBILL_TYPED',
  // Test hooks of the service.
  ...['WAYBILL_CRASH_AT', 'WAYBILL_COURIER_BOOKS', 'WAYBILL_TEST_COURIER_HOSTS'],
];

test('a topic prints the table that the code uses', async () => {
  const { stdout } = await waybill(['help', 'exit-codes']);
  for (const { code, meaning } of exits) expect(stdout.replace(/\s+/g, ' ')).toContain(`${code} ${meaning}`);
  for (const code of Object.keys({ ...errorTable, ...ownCodes, ...usualCodes }))
    expect(stdout).toMatch(new RegExp(`^ +\\d+ {2}${code}(?: |$)`, 'm'));
  const named = topics.map(({ name }) => name);
  expect(named).toEqual(['exit-codes', 'environment', 'output', 'scenarios']);
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
