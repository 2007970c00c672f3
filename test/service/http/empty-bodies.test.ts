import { expect, test } from 'vitest';
import { everyOperation } from '../../../src/contract/openapi.ts';
import { type Fixture, startFixture } from '../fixture.ts';

/** The operations whose body has no required field. */
const optional = everyOperation.filter(
  ({ method, body, permission }) =>
    permission !== null && method === 'POST' && (body?.required ?? []).length === 0,
);

/** No data, as HTTP clients send it: axios null, PHP an empty list. */
const texts = ['null', '""', '[]', '{}', '', ' \n', ' null '];

/** The status and code of a request about no record. */
async function outcomeOf(fixture: Fixture, path: string, body: string) {
  const answer = await fixture.send('POST', path.replaceAll(/\{\w+\}/g, 'none'), { body });
  return [answer.status, answer.status === 200 ? null : JSON.parse(answer.body).code];
}

test.each(optional)('$id takes every form of no body alike', async ({ path }) => {
  const fixture = await startFixture();
  const expected = await outcomeOf(fixture, path, '{}');
  expect(expected).not.toContain('unsupported_media_type');
  for (const text of texts) expect(await outcomeOf(fixture, path, text)).toEqual(expected);
  for (const text of ['[1]', '"x"', '0', 'false', '[null]'])
    expect(await outcomeOf(fixture, path, text)).toEqual([400, 'invalid_request']);
});
