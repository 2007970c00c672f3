import { describe, expect, it } from 'vitest';
import { httpTransport } from '../../src/client/http.ts';
import { Probe, startReceiver } from '../conformance/probe.ts';
import { type CaseResult, everyCase, runCases } from '../conformance/run-cases.ts';
import {
  exampleKey,
  exampleSecret,
  exampleSource,
  readBreaks,
  startExample,
} from '../fakes/http-courier/example.ts';

const source = exampleSource();
const breaks = readBreaks();
/** On a slow machine as long as all cases of a courier that answers take. */
let patience_ms = 1_500;

function timer(ms: number, expired: () => void) {
  const handle = setTimeout(expired, ms);
  return () => clearTimeout(handle);
}

/** Tests a courier with this source, which is missed if it lets so much time pass without an answer or a callback. */
async function resultsOf(code: string, timeout_ms: number): Promise<CaseResult[]> {
  const courier = await startExample(code);
  const receiver = await startReceiver({ port: 0, url: null, timeout_ms, timer });
  const transport = httpTransport({ baseUrl: courier.url, requestTimeout_ms: 3 * timeout_ms, timer });
  const probe = new Probe({
    transport,
    apiKey: exampleKey,
    webhookSecret: exampleSecret,
    callbacks: receiver,
    run: 'r1',
    now: Date.now,
  });
  const results: CaseResult[] = [];
  for await (const result of runCases(probe)) results.push(result);
  await Promise.all([transport.close(), receiver.close(), courier.close()]);
  return results;
}

const faultsIn = (results: readonly CaseResult[]) =>
  results.filter(({ status }) => status === 'failed').map(({ case: name, found }) => `${name}: ${found}`);

describe('the conformance test of couriers', () => {
  it('finds nothing at the courier of the guide, with every case tested', async () => {
    const began = performance.now();
    const results = await resultsOf(source, 300_000);
    patience_ms = Math.max(patience_ms, performance.now() - began);
    expect(results.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(50);
  });

  it('has a broken courier for each case', () => {
    expect(Object.keys(breaks).sort()).toEqual(everyCase.map(({ name }) => name).sort());
  });

  it.concurrent.each(Object.entries(breaks))(
    'finds a courier that breaks %s, and only that',
    async (name, texts) => {
      const faults = faultsIn(await resultsOf(changed(source, texts), patience_ms));
      expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name}: .+`))]);
    },
  );
});

/** Replaces texts that stand in the source exactly once. */
function changed(source: string, [from = '', to = '', ...more]: readonly string[]): string {
  expect(source.split(from)).toHaveLength(2);
  const next = source.replace(from, () => to);
  return more.length === 0 ? next : changed(next, more);
}
