import { expect, test } from 'vitest';
import { everyOperation } from '../../../src/contract/openapi.ts';
import { requestExamples } from '../../../src/contract/openapi-operations.ts';
import { validate } from '../../../src/service/http/validation.ts';

const bodies = everyOperation.flatMap(({ id, body }) => (body === undefined ? [] : [{ id, body }]));

/** The error that a check throws; null if it accepts the value. */
function refusalOf(check: () => unknown): unknown {
  try {
    check();
    return null;
  } catch (error) {
    return error;
  }
}

test.each(bodies)('$id: a body is judged the same at the first use and later', ({ id, body }) => {
  const good = requestExamples[id];
  expect(good).toBeDefined();
  for (const value of [good, { ...Object(good), unknown: 1 }, { ...Object(good), orders: [{}], tip: -1 }]) {
    // A copy of the schema is always used for the first time.
    const first = refusalOf(() => validate(structuredClone(body), value, 'body'));
    for (let use = 0; use < 3; use += 1)
      expect(refusalOf(() => validate(body, value, 'body'))).toEqual(first);
    if (value === good) expect(first).toBeNull();
    else expect(first).toMatchObject({ code: 'invalid_request' });
  }
});
