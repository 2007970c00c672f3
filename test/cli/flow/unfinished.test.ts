import { expect, test } from 'vitest';
import { type Continued, failedAt, recordsText, stateText } from '../../../src/cli/flow/unfinished.ts';
import { Failure } from '../../../src/cli/kit/errors/failure.ts';
import { invocation, phrase, plainText } from '../../../src/cli/kit/result/message.ts';

const draft: Continued = {
  ...{ order_ids: ['ord_1'], route_id: 'rte_1', pending: [], key: 'ci-1', isRepeatable: true },
  dispatch: { cheapest: true },
};
const rerun = 'To continue and create nothing twice, rerun the command with --idempotency-key ci-1';

test.each([
  [{ ...draft, order_ids: [], route_id: null }, 'No order was created yet.'],
  [{ ...draft, route_id: null }, 'Order ord_1 is open.'],
  [{ ...draft, order_ids: ['ord_1', 'ord_2'] }, 'Orders ord_1, ord_2 are in draft route rte_1.'],
  // A route may be a draft no longer while the outcome of its dispatch is unknown.
  [{ ...draft, pending: ['dispatch'] }, 'Order ord_1 is in route rte_1.'],
] as const)('%# what exists: %j', (unfinished, text) => {
  expect(recordsText(unfinished)).toBe(text);
});

test('an unknown outcome is never reported as not dispatched', () => {
  expect(stateText(draft, ' Quotes were requested.')).toBe(
    'Order ord_1 is in draft route rte_1. Nothing was dispatched. Quotes were requested.',
  );
  const text = stateText({ ...draft, pending: ['dispatch'] });
  expect(text).toContain('It is not known yet whether the route was dispatched');
  expect(text).not.toContain('Nothing was dispatched');
});

function hintOf(error: unknown): string {
  return error instanceof Failure ? plainText(error.details.hint ?? '') : '';
}

test('an error without a response leaves the dispatch unknown, a refusal does not', () => {
  const pending = { ...draft, pending: ['dispatch'] } as const;
  const lost = failedAt(new Error('killed'), pending);
  expect(hintOf(lost)).toContain('It is not known yet whether the route was dispatched');
  expect(hintOf(lost)).toContain(rerun);
  const refused = failedAt(new Failure(6, 'quote_expired', 'The quote has expired.'), pending);
  expect(hintOf(refused)).toBe(`Order ord_1 is in draft route rte_1. ${rerun}`);
});

test('suggested commands name the route, and a rerun that cannot help is not suggested', () => {
  const next = [{ command: 'routes quote', args: ['ROUTE'], when: 'request quotes' }];
  const failure = failedAt(new Failure(9, 'no_quotes', 'No quotes.', { next }), draft);
  expect(failure instanceof Failure && failure.details.next?.map(({ args }) => args[0])).toEqual(['rte_1']);
  expect(hintOf(failedAt(new Failure(5, 'quote_not_found', 'None.'), draft))).not.toContain('rerun');
  expect(hintOf(failure)).toContain(rerun);
});

test.each([
  [
    phrase`In another terminal: ${invocation('sandbox', ['advance'])}`,
    'terminal: `waybill sandbox advance`. Order',
  ],
  [phrase`See it: \`${invocation('today')}\`.`, 'See it: `waybill today`. Order'],
  ['The clock is stopped.', 'The clock is stopped. Order'],
])('%# a command at the end of a hint does not run into what exists', (hint, text) => {
  expect(hintOf(failedAt(new Failure(8, 'still_pending', 'Time ran out.', { hint }), draft))).toContain(text);
});
