import { expect, test } from 'vitest';
import { serviceErrors } from '../../../src/cli/errors/error-codes.ts';
import type { Transport } from '../../../src/contract/operation.ts';
import { deliveryRefusals } from '../../service/deliveries/delivery-refusals.ts';
import { type Fixture, startFixture } from '../../service/fixture.ts';
import { refusals } from '../../service/refusal-cases.ts';
import { webhookRefusals } from '../../service/webhook-refusals.ts';
import { errorOf, type Outcome, waybill } from '../harness.ts';

/** The fixture with its requests sent by the command line; `last` returns the result of the last one. */
async function throughCommandLine(): Promise<{ fixture: Fixture; last: () => Outcome | undefined }> {
  const fixture = await startFixture();
  let last: Outcome | undefined;
  const send: Fixture['send'] = async (method, path, { body, headers } = {}) => {
    const transport: Transport = (request) =>
      fixture.service.fetch({
        ...request,
        headers: { ...request.headers, 'x-api-key': fixture.keys.test, ...headers },
      });
    const stdin = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
    const line = ['api', method, path, '--json', ...(body === undefined ? [] : ['--file', '-'])];
    last = await waybill(line, { stdin, transport, now: fixture.now });
    return { status: last.exit, headers: {}, body: last.stdout };
  };
  return { fixture: { ...fixture, send }, last: () => last };
}

/** One refusal of each code: test/service shows all of them. */
const ofEachCode = new Map(
  [...refusals, ...deliveryRefusals, ...webhookRefusals].map((refusal) => [refusal.code, refusal]),
);

test.each([...ofEachCode.values()])(
  '$name: the command exits with the code of $code',
  async ({ code, send }) => {
    const { fixture, last } = await throughCommandLine();
    await send(fixture);
    const { exit, stdout, stderr } = last() ?? { exit: null, stdout: '', stderr: '{}' };
    const error = errorOf(stderr);
    expect(error).toMatchObject({ code, message: expect.stringMatching(/\w/) });
    expect(exit).toBe(serviceErrors[code].exit);
    expect(stdout).toBe('');
    expect(error.hint ?? error.next, 'it says what to do').toBeTruthy();
  },
);
