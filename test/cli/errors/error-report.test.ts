import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exits, serviceErrors } from '../../../src/cli/errors/error-codes.ts';
import {
  createErrorReport,
  errorObject,
  stepsForOrder,
  withPositionals,
} from '../../../src/cli/errors/error-report.ts';
import { errorText } from '../../../src/cli/errors/write-error.ts';
import { listFlag, textFlag } from '../../../src/cli/kit/args/flags.ts';
import { UsageError } from '../../../src/cli/kit/errors/failure.ts';
import { plainPalette } from '../../../src/cli/kit/output/colour.ts';
import { invocation, plainMessageFormat, plainText, shellLine } from '../../../src/cli/kit/result/message.ts';
import { textResult } from '../../../src/cli/kit/result/result.ts';
import { defineCommand, positional } from '../../../src/cli/session/command.ts';
import { BadBaseUrl } from '../../../src/client/addresses.ts';
import { ApiError, Unreachable } from '../../../src/client/errors.ts';
import { errorTable } from '../../../src/contract/errors.ts';
import { errorOf, freshHome } from '../harness.ts';
import { newDelivery, orderLine, sandbox } from '../sandbox.ts';

const command = defineCommand({
  name: 'create',
  summary: 'Make one',
  positionals: { route: positional('route', { summary: 'The route' }) },
  flags: { dropoffPhoneNumber: textFlag({ summary: 'Phone' }), item: listFlag({ summary: 'Item' }) },
  examples: [{ command: 'waybill create', summary: 'One' }],
  effect: 'write',
  run: () => textResult(''),
});

test.each(Object.entries(serviceErrors))('%s has the exit code of the table', (code, { exit }) => {
  expect(createErrorReport(new ApiError('no', { code, status: 418 })).exit).toBe(exit);
  expect(exits.map(({ code: known }) => known)).toContain(exit);
});

test.each([
  [401, 4],
  [403, 4],
  [404, 5],
  [409, 6],
  [422, 2],
  [429, 11],
  [500, 7],
  [503, 7],
  [418, 1],
])('a later error code exits by its HTTP status: %i is %i', (status, exit) => {
  expect(createErrorReport(new ApiError('no', { code: 'of_tomorrow', status })).exit).toBe(exit);
});

test.each([
  [new Unreachable('gone'), 7, 'unreachable'],
  [new BadBaseUrl('bad'), 2, 'usage'],
  [new UsageError('wrong'), 2, 'usage'],
  [new TypeError('oops'), 1, 'internal'],
  ['thrown', 1, 'internal'],
])('%s', (error, exit, code) => {
  expect(createErrorReport(error)).toMatchObject({ exit, code });
});

const invalid = new ApiError('The request is invalid.', {
  code: 'invalid_request',
  status: 400,
  request_id: 'req_1',
  retry_after_ms: 1500,
  details: [
    { path: 'orders[0].dropoff_phone_number', message: 'is no phone number' },
    { path: 'orders[0].items[2].name', message: 'is too long' },
    { path: 'route_id', message: 'is unknown' },
    { path: 'settings.elsewhere', message: 'is odd' },
  ],
});

test('an error of a request field names the flag that sets it', () => {
  const flags = createErrorReport(invalid, command).details.map(({ flag }) => flag);
  expect(flags).toEqual(['--dropoff-phone-number', '--item', 'ROUTE', null]);
});

test('the JSON error has the documented fields that say something', () => {
  const { error } = errorObject(createErrorReport(invalid, command), plainMessageFormat);
  expect(error).toEqual({
    code: 'invalid_request',
    message: expect.any(String),
    details: expect.any(Array),
    exit: 2,
    category: 'usage',
    status: 400,
    request_id: 'req_1',
    retry_after: 2,
    hint: serviceErrors.invalid_request.hint,
    next: [],
  });
});

test('the suggested command has the id of the line', () => {
  const expired = createErrorReport(new ApiError('old', { code: 'quote_expired', status: 409 }), command);
  const report = withPositionals(expired, command, ['rte_1']);
  expect(report.next).toEqual([{ ...invocation('routes quote', ['rte_1']), when: 'Ask for fresh quotes' }]);
  expect(plainText(report.hint ?? '')).toBe('Ask for fresh quotes: `waybill routes quote rte_1`.');
});

test('people read what happened, why, and what to do', () => {
  const expired = createErrorReport(
    new ApiError('The quote is too \u001b[2Jold.', {
      code: 'quote_expired',
      status: 409,
      request_id: 'req_1',
    }),
  );
  expect(errorText(expired, plainPalette)).toBe(
    ['Error: The quote is too old.', plainText(serviceErrors.quote_expired.hint), 'Request req_1', ''].join(
      '\n',
    ),
  );
});

test('the meaning of a code is printed only if the message lacks it', () => {
  const mute = createErrorReport(new ApiError('quote_expired', { code: 'quote_expired', status: 409 }));
  expect(mute.why).toBe(errorTable.quote_expired.when);
});

test('errors are reworded for people; programs get the service’s words', () => {
  expect(errorText(createErrorReport(invalid, command), plainPalette)).toMatch(
    /^Error: The service rejected the request:\n {2}--dropoff-phone-number: is no phone number\n/,
  );
  expect(createErrorReport(invalid, command).message).toBe('The request is invalid.');
});

test.each(Object.entries(errorTable))(
  'the suggestions of %s are commands and whole phrases',
  (code, { status }) => {
    for (const { when, ...line } of createErrorReport(new ApiError('no', { code, status })).next) {
      expect(shellLine(line)).toMatch(/^waybill [a-z]/);
      expect(when).toMatch(/^([A-Z].*[a-z])?$/);
      expect(when).not.toMatch(/^(Run|See the (paths|methods) in|Try again)/);
    }
  },
);

test('choices are not listed twice', () => {
  const failure = new UsageError('--a must be one of x, y.', { choices: ['x', 'y'] });
  expect(errorText(createErrorReport(failure), plainPalette)).toBe('Error: --a must be one of x, y.\n');
  const other = new UsageError('No such.', { choices: ['x', 'y'] });
  expect(errorText(createErrorReport(other), plainPalette)).toBe('Error: No such.\nChoose from: x, y\n');
});

test.each([
  ['by nothing', ['ord_1'], ['waybill orders get ord_1']],
  ['by a route', ['ord_1', 'rte_2'], ['waybill orders get ord_1', 'waybill routes get rte_2']],
  ['by a delivery', ['ord_1', 'dlv_3'], ['waybill orders get ord_1', 'waybill deliveries explain dlv_3']],
  ['by a batch', ['ord_1', 'bat_4'], ['waybill batches get bat_4']],
])('commands for an order that is held %s', (_, ids, commands) => {
  expect(stepsForOrder(ids).map(shellLine)).toEqual(commands);
});

const box = await sandbox();
const id = '01KJPZV280000000FNGRBG34F2';

test.each([
  ['routes get', 'dlv', 'a delivery ID, not a route', 'deliveries get'],
  ['routes delete', 'str', 'a store ID, not a route', 'stores get'],
  ['quotes list', 'bat', 'a batch ID, not a route', 'batches get'],
  ['batches get', 'rte', 'a route ID, not a batch', 'routes get'],
  ['orders get', 'rte', 'a route ID, not an order', 'routes get'],
  ['deliveries get', 'evt', 'an event ID, not a delivery', 'events get'],
  ['events get', 'dlv', 'a delivery ID, not an event', 'deliveries get'],
  ['webhooks get', 'str', 'a store ID, not a webhook endpoint', 'stores get'],
])('%s %s_…: says that it is %s', async (command, prefix, fault, instead) => {
  const word = `${prefix}_${id}`;
  const { exit, stderr } = await box.run([...command.split(' '), word]);
  expect([exit, stderr]).toEqual([5, expect.stringContaining(`Error: ${word} is ${fault}.\n`)]);
  expect(stderr).toContain(`  waybill ${instead} ${word}   (see the `);
  expect(stderr).not.toContain('whoami');
});

test('a reference in place of a route or batch is searched among deliveries', async () => {
  for (const noun of ['routes', 'batches']) {
    const { exit, stderr } = await box.run([noun, 'get', '#1001']);
    expect([exit, stderr]).toEqual([
      5,
      expect.stringContaining("  waybill deliveries get '#1001'   (find a"),
    ]);
    expect(stderr).toContain(`  waybill ${noun} list   (see what there is)`);
  }
});

test.each([['dispatch', '--cheapest'], ['routes quote'], ['quotes wait'], ['routes get']])(
  '%s without such an order offers no route of it',
  async (command, ...flags) => {
    for (const word of ['1042', `ord_${id}`]) {
      const { exit, stderr } = await box.run([...command.split(' '), word, ...flags]);
      expect([exit, stderr]).toEqual([5, expect.stringContaining('  waybill routes list   (see what')]);
      expect(stderr).toContain(word);
      expect(stderr).not.toContain('routes create');
    }
  },
);

test('a delivery ID may identify an order, so it is not of another kind', async () => {
  const { stderr } = await box.run(['orders', 'get', `dlv_${id}`]);
  expect(stderr).toContain(`There is no delivery dlv_${id}.`);
});

const home = freshHome();
const place = (name: string) => join(home, name);
writeFileSync(place('typo.json'), JSON.stringify({ pickup_adress: '43 E Ohio St, Chicago, IL 60611' }));

/** Lines as a newcomer types them, the exit code, and what the error says. */
const lines: [typed: string[], exit: number, fault: RegExp][] = [
  [['deliveries', 'list', '--unchanged-since', 'tomorrow'], 2, /--unchanged-since tomorrow is still to come/],
  [['deliveries', 'list', 'late'], 2, /Did you mean waybill deliveries list --late\?/],
  [['keys', 'revoke', 'foo', '--yes'], 5, /waybill keys list {3}\(see what there is\)/],
  [['today', '--watch', '--json=foo'], 2, /Unknown field \\"foo\\"/],
  [['today', '--watch', '--json=next.foo'], 2, /Unknown field \\"next\.foo\\"/],
  [['ship', '--file', place('none.json'), '--cheapest'], 2, /none\.json cannot be read: it does not exist/],
  [['ship', '--file', place('typo.json'), '--cheapest'], 2, /Unknown: pickup_adress\. Check the spelling/],
  [['orders', 'import', 'orders'], 2, /Cannot tell the format of orders from its name/],
  [['restore', place('none.db'), '--yes'], 2, /There is no file .*none\.db/],
  [['api', 'GET', 'orders'], 2, /Did you mean \/v2\/orders\?/],
  [['profiles', 'create', 'x', '--base-url', 'localhost:1'], 2, /such as http:\/\/localhost:1\.\n/],
  [['profiles', 'create', 'x', '--base-url', 'shop.example'], 2, /such as https:\/\/shop\.example\.\n/],
  [['profiles', 'create', 'x', '--base-url', 'foo'], 2, /such as https:\/\/deliveries\.example\.\n/],
  [['login', '--profile', 'x'], 2, /waybill login --profile x --base-url https:/],
];

test.each(lines)('%j is refused with what to do', async (typed, exit, fault) => {
  const told = await box.run(typed);
  expect([told.exit, told.stdout, told.stderr]).toEqual([exit, '', expect.stringMatching(fault)]);
});

test('a tip above the limit is refused before anything is created', async () => {
  const line = ['ship', ...orderLine.slice(2), '--cheapest'];
  const from = box.requests.length;
  const { exit, stderr } = await box.run([...line, '--tip', '1000']);
  expect([exit, stderr]).toEqual([2, expect.stringMatching(/^Error: --tip must be at most \$100\.00 /)]);
  expect(box.requests.slice(from).filter(({ method }) => method === 'POST')).toEqual([]);
  const worth = await box.run([...line, '--tip', '1000', '--order-value', '2000', '--dry-run']);
  expect(worth.exit).toBe(0);
});

test('an advance to a status that is not reached prints the delivery, and one error', async () => {
  for (const format of [['--json'], ['-o', 'ndjson']]) {
    const missed = await newDelivery(box, '--initiate', '--simulate', 'no_driver');
    const line = ['sandbox', 'advance', '--until', `${missed}:delivered`, ...format];
    const { exit, stdout, stderr } = await box.run(line);
    expect([exit, stdout.includes('provider_canceled'), errorOf(stderr)]).toMatchObject([
      9,
      true,
      {
        code: 'delivery_provider_canceled',
        message: `${missed} is provider_canceled, not delivered.`,
        next: [{ command: `waybill deliveries explain ${missed}` }],
      },
    ]);
  }
});
