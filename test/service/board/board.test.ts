import { hash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type DeliveryStatus, statusGroups } from '../../../src/contract/vocabulary.ts';
import { findZone, zoneTables } from '../../../src/domain/addresses.ts';
import { isEnded } from '../../../src/domain/delivery-states.ts';
import basics from '../../../src/service/board/browser/basics.js?raw';
import { endedGroups, openGroups } from '../../../src/service/board/page.ts';
import { overdueCases } from '../../domain/overdue-cases.ts';
import { startFixture } from '../fixture.ts';
import { startBoard } from './page-stub.ts';

const statuses: readonly DeliveryStatus[] = Object.values(statusGroups).flat();

test('the groups have each status once, but for deliveries that are only stored', () => {
  const open = openGroups.flatMap((group) => group.statuses);
  const ended = endedGroups.flatMap((group) => group.statuses);
  expect(open.filter(isEnded)).toEqual([]);
  expect(ended.every(isEnded)).toBe(true);
  expect([...open, ...ended, 'request'].sort()).toEqual([...statuses].sort());
});

test('the page needs no key, holds no data and may only run its own script', async () => {
  const { service, keys } = await startFixture();
  const page = async (headers: Record<string, string>) =>
    service.fetch({ method: 'GET', path: '/board', headers, body: '' });
  const { status, headers, body } = await page({});
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect((await page({ 'x-api-key': keys.test })).body).toBe(body);
  const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(String(body)) ?? [];
  expect(script).toContain('sessionStorage');
  expect(body).toContain("default-src 'none'");
  expect(body).toContain(`script-src 'sha256-${hash('sha256', script, 'base64')}'; connect-src 'self'`);
});

test('the page knows the time zone of an address as the service does', () => {
  const [source = ''] = /function zoneOf[\s\S]*?\n}\n/.exec(basics) ?? [];
  const addresses = [
    ...['43 E Ohio St, Chicago, IL 60611, USA', '1 Main St, Pensacola, FL 32501', '2 Elm St, Boise, ID'],
    ...['3 Oak St, El Paso, TX 79901-1234, USA', '4 Bay St, Moscow, ID 83843, USA', 'Somewhere', ''],
  ];
  const known = addresses.map((address) => findZone(address) ?? undefined);
  expect(new Set(known).size).toBe(4);
  const shown = `${source} addresses.map((address) => zoneOf(address));`;
  expect(runInNewContext(shown, { zones: zoneTables, addresses })).toEqual(known);
});

test('the page knows whose next report is overdue as the service does', async () => {
  const { parts } = await startBoard(() => ({}));
  const minute = 60_000;
  const now = Date.parse('2026-03-02T12:00:00.000Z');
  const at = (minutes: number | null) =>
    minutes === null ? '' : new Date(now + minutes * minute).toISOString();
  const found = overdueCases.map(({ status, updated_at, pickup_eta, dropoff_eta }) => {
    const times = { updated_at: at(updated_at), pickup_eta: at(pickup_eta) };
    const overdue_ms = parts.overdueBy(
      { status, ...times, dropoffs: [{ dropoff_eta: at(dropoff_eta) }] },
      now,
    );
    return overdue_ms <= 0 ? null : overdue_ms / minute;
  });
  expect(found).toEqual(overdueCases.map(({ overdue }) => overdue));
});
