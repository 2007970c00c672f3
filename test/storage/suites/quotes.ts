import { expect, test } from 'vitest';
import {
  completeJob,
  countAnswers,
  deleteJobs,
  findQuote,
  insertDecline,
  insertJob,
  insertQuotes,
  latestJob,
  listDeclines,
  listQuotes,
  loadJob,
} from '../../../src/storage/quotes.ts';
import {
  dispatchesOfRoute,
  findDispatches,
  insertDispatch,
  settleDispatch,
} from '../../../src/storage/routes.ts';
import { dispatch, job, noon, quote } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

const decline = { job_id: 'job_1', provider: 'metrobike', code: 'too_far', reason: 'far', created_at: noon };

export function quotesSuite(fresh: FreshStorage): void {
  test('the newest round is the latest, and a round of a route exists once', async () => {
    const { db } = await fresh();
    expect(await latestJob(db, 'rte_1')).toBeUndefined();
    await insertJob(db, job('job_2', { round: 2 }));
    await insertJob(db, job('job_1'));
    await insertJob(db, job('job_3', { route_id: 'rte_2', round: 3 }));
    expect(await latestJob(db, 'rte_1')).toEqual(job('job_2', { round: 2 }));
    await expect(insertJob(db, job('job_4', { round: 2 }))).rejects.toThrow(/unique/i);
  });

  test('a round completes once', async () => {
    const { db } = await fresh();
    await insertJob(db, job('job_1'));
    await insertJob(db, job('job_2', { round: 2 }));
    expect(await completeJob(db, { id: 'job_1', now: noon + 1 })).toBe(true);
    expect(await completeJob(db, { id: 'job_1', now: noon + 2 })).toBe(false);
    expect(await loadJob(db, 'job_1')).toEqual(job('job_1', { status: 'COMPLETE', completed_at: noon + 1 }));
    expect(await loadJob(db, 'job_2')).toMatchObject({ status: 'PENDING' });
  });

  test('quotes and declines are listed by round, and each provider answers once', async () => {
    const { db } = await fresh();
    const second = quote('quo_2', { provider: 'haulvan', expires_at: noon + 60_000 });
    await insertQuotes(db, [second, quote('quo_1'), quote('quo_3', { job_id: 'job_2' })]);
    await insertDecline(db, decline);
    await insertDecline(db, { ...decline, code: 'later' });
    await insertDecline(db, { ...decline, provider: 'airship' });
    expect(await listQuotes(db, 'job_1')).toEqual([quote('quo_1'), second]);
    expect(await listDeclines(db, 'job_1')).toEqual([{ ...decline, provider: 'airship' }, decline]);
    expect(await countAnswers(db, 'job_1')).toBe(4);
    expect(await countAnswers(db, 'job_9')).toBe(0);
    expect(await findQuote(db, 'acct_a', 'quo_2')).toEqual(second);
    expect(await findQuote(db, 'acct_b', 'quo_2')).toBeUndefined();
  });

  test('the rounds of a route go with their quotes and declines, others stay', async () => {
    const { db } = await fresh();
    await insertJob(db, job('job_1'));
    await insertJob(db, job('job_2', { route_id: 'rte_2' }));
    await insertQuotes(db, [quote('quo_1'), quote('quo_2', { job_id: 'job_2', route_id: 'rte_2' })]);
    await insertDecline(db, decline);
    await insertDecline(db, { ...decline, job_id: 'job_2' });
    await deleteJobs(db, 'rte_1');
    expect(await latestJob(db, 'rte_1')).toBeUndefined();
    expect([await countAnswers(db, 'job_1'), await countAnswers(db, 'job_2')]).toEqual([0, 2]);
    expect(await latestJob(db, 'rte_2')).toMatchObject({ id: 'job_2' });
  });

  test('a provider has a key once, and a dispatch is settled once', async () => {
    const { db } = await fresh();
    await insertDispatch(db, dispatch('dsp_1'));
    await insertDispatch(db, dispatch('dsp_2', { request_key: 'k' }));
    await insertDispatch(db, dispatch('dsp_3', { route_id: 'rte_2' }));
    await expect(insertDispatch(db, dispatch('dsp_4', { provider_key: 'for dsp_1' }))).rejects.toThrow(
      /unique/i,
    );
    expect(await dispatchesOfRoute(db, 'rte_1')).toEqual([
      dispatch('dsp_1'),
      dispatch('dsp_2', { request_key: 'k' }),
    ]);
    const refuse = { id: 'dsp_1', to: 'refused', reason: 'no_capacity', now: noon + 1 } as const;
    const refused = dispatch('dsp_1', { state: 'refused', reason: 'no_capacity', updated_at: noon + 1 });
    expect(await settleDispatch(db, refuse)).toEqual(refused);
    expect(await settleDispatch(db, { ...refuse, to: 'accepted', reason: null })).toBeUndefined();
    expect(await findDispatches(db, ['dsp_1'])).toEqual([refused]);
    expect(await findDispatches(db, ['dsp_2'])).toMatchObject([{ state: 'asking' }]);
  });
}
