import { expect, test } from 'vitest';
import { errorObject, reportOf, withPositionals } from '../../../src/cli/errors/error-report.ts';
import { exits } from '../../../src/cli/errors/exit-codes.ts';
import { errorText } from '../../../src/cli/errors/report-error.ts';
import { serviceErrors } from '../../../src/cli/errors/service-errors.ts';
import { list, text } from '../../../src/cli/kit/args/flags.ts';
import { UsageError } from '../../../src/cli/kit/errors/failure.ts';
import { plain } from '../../../src/cli/kit/output/colour.ts';
import { invocation, plainText, plainWording, shellLine } from '../../../src/cli/kit/result/message.ts';
import { words } from '../../../src/cli/kit/result/result.ts';
import { defineCommand, positional } from '../../../src/cli/session/command.ts';
import { BadBaseUrl } from '../../../src/client/addresses.ts';
import { ApiError, Unreachable } from '../../../src/client/errors.ts';
import { errorTable } from '../../../src/contract/errors.ts';

const command = defineCommand({
  name: 'create',
  summary: 'Make one',
  positionals: { route: positional('route', { summary: 'The route' }) },
  flags: { dropoffPhoneNumber: text({ summary: 'Phone' }), item: list({ summary: 'Item' }) },
  examples: [{ command: 'waybill create', summary: 'One' }],
  effect: 'write',
  run: () => words(''),
});

test.each(Object.entries(serviceErrors))('%s has the exit code of the table', (code, { exit }) => {
  expect(reportOf(new ApiError('no', { code, status: 418 })).exit).toBe(exit);
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
  expect(reportOf(new ApiError('no', { code: 'of_tomorrow', status })).exit).toBe(exit);
});

test.each([
  [new Unreachable('gone'), 7, 'unreachable'],
  [new BadBaseUrl('bad'), 2, 'usage'],
  [new UsageError('wrong'), 2, 'usage'],
  [new TypeError('oops'), 1, 'internal'],
  ['thrown', 1, 'internal'],
])('%s', (error, exit, code) => {
  expect(reportOf(error)).toMatchObject({ exit, code });
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
  const flags = reportOf(invalid, command).details.map(({ flag }) => flag);
  expect(flags).toEqual(['--dropoff-phone-number', '--item', 'ROUTE', null]);
});

test('the JSON error has every documented field', () => {
  const { error } = errorObject(reportOf(invalid, command), plainWording);
  expect(error).toMatchObject({
    code: 'invalid_request',
    category: 'usage',
    status: 400,
    request_id: 'req_1',
    retry_after: 2,
    missing: [],
    choices: [],
    hint: serviceErrors.invalid_request.hint,
    next: [],
  });
});

test('the suggested command has the id of the line', () => {
  const expired = reportOf(new ApiError('old', { code: 'quote_expired', status: 409 }), command);
  const report = withPositionals(expired, command, ['rte_1']);
  expect(report.next).toEqual([{ ...invocation('routes quote', ['rte_1']), when: 'Ask for fresh quotes' }]);
  expect(plainText(report.hint ?? '')).toBe('Ask for fresh quotes: `waybill routes quote rte_1`.');
});

test('people read what happened, why, and what to do', () => {
  const expired = reportOf(
    new ApiError('The quote is too \u001b[2Jold.', {
      code: 'quote_expired',
      status: 409,
      request_id: 'req_1',
    }),
  );
  expect(errorText(expired, plain)).toBe(
    ['Error: The quote is too old.', plainText(serviceErrors.quote_expired.hint), 'Request req_1', ''].join(
      '\n',
    ),
  );
});

test('the meaning of a code is printed only if the message lacks it', () => {
  const mute = reportOf(new ApiError('quote_expired', { code: 'quote_expired', status: 409 }));
  expect(mute.why).toBe(errorTable.quote_expired.when);
});

test('errors are reworded for people; programs get the service’s words', () => {
  expect(errorText(reportOf(invalid, command), plain)).toMatch(
    /^Error: The service rejected the request:\n {2}--dropoff-phone-number: is no phone number\n/,
  );
  expect(reportOf(invalid, command).message).toBe('The request is invalid.');
});

test.each(Object.entries(errorTable))(
  'the suggestions of %s are commands and whole phrases',
  (code, { status }) => {
    for (const { when, ...line } of reportOf(new ApiError('no', { code, status })).next) {
      expect(shellLine(line)).toMatch(/^waybill [a-z]/);
      expect(when).toMatch(/^([A-Z].*[a-z])?$/);
      expect(when).not.toMatch(/^(Run|See the (paths|methods) in|Try again)/);
    }
  },
);

test('choices are not listed twice', () => {
  const failure = new UsageError('--a must be one of x, y.', { choices: ['x', 'y'] });
  expect(errorText(reportOf(failure), plain)).toBe('Error: --a must be one of x, y.\n');
  const other = new UsageError('No such.', { choices: ['x', 'y'] });
  expect(errorText(reportOf(other), plain)).toBe('Error: No such.\nChoose from: x, y\n');
});
