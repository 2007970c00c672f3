import { expect, test } from 'vitest';
import { exampleIds, exampleInstant } from '../../src/contract/openapi-examples.ts';
import { acceptingCouriers, unusedConnections } from '../fakes/courier-check.ts';
import { isWhole } from '../in-part.ts';
import { type Fixture, orderRequest, startFixture } from './fixture.ts';
import { fuzzedRequests } from './fuzz-from-openapi.ts';

/** Records of the service, by the prefix of their ids. */
async function someIds({ send }: Fixture): Promise<Map<string, string>> {
  const made = async (path: string, body: object): Promise<string> =>
    JSON.parse((await send('POST', path, { body })).body).id;
  const place = { name: 'Shop', address: '43 E Ohio St, Chicago, IL 60611', phone_number: '+13125550100' };
  const ord = await made('/v2/orders', orderRequest());
  return new Map([
    ['ord', ord],
    ['dlv', await made('/v1/delivery_information', orderRequest())],
    ['rte', await made('/v2/routes', { order_ids: [await made('/v2/orders', orderRequest())] })],
    ['str', await made('/v2/stores', place)],
  ]);
}

/** These end what the others need. */
const ending = ['ResetSandbox', 'RevokeApiKey', 'AdvanceClock', 'SetClock', 'StreamEvents'];
/** What these allow depends on a setting or on the courier, and not on the request alone. */
const depending = ['UpdateAccount', 'ConnectCourier'];

const count = isWhole ? 960 : 360;

test('requests made from the document: none valid is refused, none invalid taken, and answers fit', async () => {
  const parts = { courier_http: () => acceptingCouriers, connections: unusedConnections };
  const fixture = await startFixture({ parts });
  const document: unknown = JSON.parse((await fixture.send('GET', '/openapi.json')).body);
  const ids = await someIds(fixture);
  const examples = new Map(Object.entries(exampleIds).map(([prefix, id]) => [id, ids.get(prefix) ?? id]));
  const current = (example: unknown, name: string): unknown => {
    if (name === 'providers') return 'swiftly';
    if (typeof example !== 'string') return example;
    if (example === exampleInstant || /^\d{4}-\d\d-\d\dT/.test(example))
      return new Date(fixture.now() + (name.startsWith('created_') ? -3_600_000 : 3_600_000)).toISOString();
    return examples.get(example) ?? example;
  };
  const faults: string[] = [];
  const counts = { valid: 0, invalid: 0 };
  for (const request of fuzzedRequests(document, { seed: 'openapi', count, current })) {
    const { id, method, path, body, isValid, answerFault } = request;
    if (ending.includes(id) || depending.includes(id)) continue;
    counts[isValid ? 'valid' : 'invalid'] += 1;
    const options = body === undefined ? {} : { body };
    const { status, body: text, headers } = await fixture.send(method, path, options);
    const isJson = headers['content-type']?.startsWith('application/json') === true;
    const answer: unknown = isJson ? JSON.parse(text) : null;
    const shown = `${id} ${method} ${path} ${JSON.stringify(body)}: ${status} ${text.slice(0, 400)}`;
    if (isValid && [400, 413, 415].includes(status)) faults.push(`valid is refused: ${shown}`);
    if (!isValid && status < 400) faults.push(`invalid is taken: ${shown}`);
    if (status >= 500) faults.push(`fault: ${shown}`);
    const fault = isJson ? answerFault(status, answer) : null;
    if (fault !== null) faults.push(`${fault}: ${shown}`);
  }
  expect(faults.slice(0, 40)).toEqual([]);
  expect(counts.valid + counts.invalid).toBeGreaterThanOrEqual(count * 0.8);
  expect(counts.invalid).toBeGreaterThan(isWhole ? 40 : 5);
});
