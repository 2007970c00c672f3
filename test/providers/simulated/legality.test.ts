import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyRoute, appliedStatus, ends, finalStatus } from './report-runs.ts';
import { names, provider } from './requests.ts';

test.each(names)('in every scenario the reports of %s form a legal history', (name) => {
  fc.assert(
    fc.property(anyRoute, (route) => {
      const feed = provider(name).feed(route);
      expect(feed.map(({ due_at }) => due_at)).toEqual(
        feed.map(({ due_at }) => due_at).sort((left, right) => left - right),
      );
      for (const { due_at, report } of feed) expect(due_at).toBeGreaterThanOrEqual(report.occurred_at);
      for (const { order_id } of route.orders) {
        const own = feed.filter(({ report }) => report.order_id === order_id);
        const from = route.pickup_at === null ? 'delivery_created' : 'scheduled';
        const end = finalStatus(own, from);
        expect(ends).toContain(end);
        expect(appliedStatus(own, from)).toBe(end);
      }
    }),
    { numRuns: 50 },
  );
});

test.each(names)('%s uses one report id for one report only', (name) => {
  fc.assert(
    fc.property(anyRoute, (route) => {
      const texts = new Map<string, string>();
      for (const { report } of provider(name).feed(route)) {
        const text = JSON.stringify(report);
        expect(texts.get(report.id) ?? text).toBe(text);
        texts.set(report.id, text);
      }
    }),
    { numRuns: 100 },
  );
});

test.each(names)('the driver’s path of %s moves forward in time', (name) => {
  fc.assert(
    fc.property(anyRoute, (route) => {
      for (const { report } of provider(name).feed(route)) {
        const times = (report.way ?? []).map(({ at }) => at);
        expect(times).toEqual([...new Set(times)].sort((left, right) => left - right));
        for (const at of times) expect(Number.isInteger(at)).toBe(true);
      }
    }),
    { numRuns: 100 },
  );
});
