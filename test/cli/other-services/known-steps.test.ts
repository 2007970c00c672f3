import { expect, test } from 'vitest';
import { availableSteps } from '../../../src/cli/errors/error-codes.ts';
import { createErrorReport } from '../../../src/cli/errors/error-report.ts';
import { Failure } from '../../../src/cli/kit/errors/failure.ts';
import { invocation, phrase, plainText } from '../../../src/cli/kit/result/message.ts';
import { ApiError, OutcomeUnknown, Unreachable } from '../../../src/client/errors.ts';
import { person } from '../commands/new/person.ts';
import { errorOf, jsonOf, type RunOptions, waybill } from '../harness.ts';
import { toolResult } from '../mcp-session.ts';
import { orderLine } from '../sandbox.ts';

test('commands whose feature is missing are left out, and writes of look-up features are kept', () => {
  const lines = [
    'orders list',
    'orders cancel',
    'routes get',
    'routes create',
    'sandbox step',
    'deliveries get',
  ];
  const steps = lines.map((line) => invocation(line));
  const left = availableSteps(steps, (feature) => !['orders', 'routes', 'sandbox'].includes(feature));
  expect(left.map(({ command }) => command)).toEqual(['orders cancel', 'routes create', 'deliveries get']);
});

test('a lost response suggests only look-ups that the service has', () => {
  const cause = new Unreachable('No response.');
  const lost = new OutcomeUnknown('CreateOrders', {}, cause);
  const { next } = createErrorReport(lost, null, (feature) => feature !== 'orders');
  expect(next.map(({ command }) => command)).toEqual(['deliveries list']);
  const route = new OutcomeUnknown('CreateRoute', {}, cause);
  expect(createErrorReport(route, null, (feature) => feature !== 'routes').hint).toMatch(
    /does not show such records/,
  );
});

test('a lost response is reported in whole sentences', () => {
  const gateway = new ApiError('bad gateway', { code: 'http_502', status: 502 });
  const messageOf = (cause: ApiError | Unreachable) =>
    createErrorReport(new OutcomeUnknown('CreateOrders', {}, cause)).message;
  const end = 'The service may have received the request and done it.';
  expect(messageOf(gateway)).toBe(`bad gateway. ${end}`);
  expect(messageOf(new Unreachable('No response.'))).toBe(`No response. ${end}`);
});

test('the hints of errors name no command that the service is known to lack', () => {
  const refused = (code: string, missing: readonly string[]) => {
    const error = new ApiError('Refused.', { code, status: 409 });
    const { hint, next } = createErrorReport(error, null, (feature) => !missing.includes(feature));
    return [hint === null ? null : plainText(hint), next.map(({ command }) => command)];
  };
  const all = ['couriers', 'keys', 'orders', 'routes', 'sandbox'];
  expect(refused('courier_has_deliveries', all)).toEqual([null, []]);
  expect(refused('order_not_open', all)).toEqual([null, []]);
  expect(refused('simulation_unknown', all)).toEqual([null, []]);
  expect(refused('order_not_open', ['sandbox'])[1]).toEqual(['orders get']);
  expect(refused('quote_used', all)).toEqual([
    'Ask for quotes of another delivery: `waybill deliveries quote`. Ask for fresh quotes of the route: `waybill routes quote ROUTE`.',
    ['deliveries quote', 'routes quote'],
  ]);
  const failure = new Failure(6, 'conflict', 'Refused.', {
    hint: phrase`Nothing was changed. See them: \`${invocation('drivers list')}\`. Then try \`${invocation('doctor')}\`.`,
  });
  const left = createErrorReport(failure, null, (feature) => feature !== 'drivers').hint ?? '';
  expect(plainText(left)).toBe('Nothing was changed. Then try `waybill doctor`.');
});

/** A service that cancels deliveries without a preview, and has no routes. */
function cancelingService(sent: string[]) {
  const delivery = { id: 'd1', status: 'delivery_created', dropoffs: [], test_mode: true };
  return async ({ method, path }: { method: string; path: string }) => {
    sent.push(`${method} ${path}`);
    const [status, body] =
      path === '/v1/delivery/d1/cancel'
        ? [200, { ...delivery, status: 'customer_canceled' }]
        : path === '/v1/delivery/d1'
          ? [200, delivery]
          : [404, { error: 'Not Found' }];
    return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  };
}

test('a delivery is canceled without a preview after a question that says so', async () => {
  const sent: string[] = [];
  const transport = cancelingService(sent);
  const line = ['deliveries', 'cancel', 'd1'];
  const limited = await waybill([...line, '--yes', '--max-fee', '5.00', '--json'], { transport });
  expect([limited.exit, errorOf(limited.stderr).code]).toEqual([6, 'above_max_fee']);
  const prompts = person([['', 'yes']]);
  const { exit } = await waybill(line, { transport, tty: true, prompts });
  expect([exit, prompts.asked.map(({ message }) => message)]).toEqual([
    0,
    [expect.stringContaining('The fee is not known')],
  ]);
  const scripted = await waybill([...line, '--yes', '--json'], { transport });
  expect(jsonOf(scripted.stdout)).toMatchObject({ id: 'd1', status: 'customer_canceled' });
  expect(sent).toContain('POST /v1/delivery/d1/cancel');
});

test('an assistant cancels without a preview once the user agreed to a fee that is not known', async () => {
  const sent: string[] = [];
  const call = async (name: string, args: object) => {
    const run = (argv: readonly string[], options: RunOptions) =>
      waybill(argv, { ...options, transport: cancelingService(sent) });
    return JSON.parse((await toolResult(run, name, { delivery: 'd1', ...args })).content[0].text);
  };
  expect(await call('preview_cancellation', {})).toMatchObject({
    cancelable: true,
    fee: null,
    reason: 'this service does not say what a cancellation costs',
  });
  const refused = await call('cancel_delivery', { agreed_fee: 500 });
  expect(refused.error).toMatchObject({
    code: 'fee_not_agreed',
    message: 'The fee for canceling d1 is not known: this service does not say what a cancellation costs.',
    hint: expect.stringContaining('agreed_fee null'),
  });
  expect(sent).not.toContain('POST /v1/delivery/d1/cancel');
  expect(await call('cancel_delivery', { agreed_fee: null })).toMatchObject({
    ...{ fee: null, delivery: { status: 'customer_canceled' } },
  });
});

test.each(['POST /v2/routes', 'POST /orders/create'])(
  '%s that is not there is no wrong ID',
  async (missing) => {
    const transport = async () => ({
      status: 404,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ error: 'Not Found' }),
    });
    const line = missing.endsWith('routes') ? ['routes', 'create', 'ord_1'] : orderLine;
    const { exit, stderr } = await waybill([...line, '--json'], { transport });
    expect([exit, errorOf(stderr)]).toEqual([
      6,
      expect.objectContaining({
        code: 'not_supported',
        message: expect.stringContaining('This service has no'),
      }),
    ]);
  },
);
