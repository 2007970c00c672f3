import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Entry } from '../../../../src/cli/settings/entries.ts';
import { createMetrics } from '../../../../src/service/metrics/service-metrics.ts';
import { freshHome, waybill } from '../../harness.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../src/guide/operating.md'), 'utf8');
const [unit = '', settings = ''] = [...page.matchAll(/^```ini\n(.*?)^```$/gms)].map(([, text = '']) => text);
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.runIf(hasSystemd)('systemd accepts the unit of the guide', () => {
  const verify = (text: string) => {
    const file = join(freshHome(), 'waybill.service');
    // Replaces the program, which need not be installed, with one that exists.
    writeFileSync(file, text.replace('/usr/bin/waybill', process.execPath));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    // Units of the machine itself may have warnings too.
    return { status, warnings: stderr.split('\n').filter((line) => line.includes('waybill.service')) };
  };
  expect(verify(unit)).toEqual({ status: 0, warnings: [] });
  expect(verify(unit.replace('ProtectHome=yes', 'ProtectHouse=yes')).warnings).not.toEqual([]);
});

test('serve takes the settings of the guide, and the unit names their file', async () => {
  const home = freshHome();
  writeFileSync(join(home, 'waybill.conf'), settings);
  const { exit, stdout, stderr } = await waybill(['serve', '--config', 'waybill.conf', '--check', '--json'], {
    home,
  });
  expect([exit, stderr]).toEqual([0, '']);
  const entries: Entry[] = JSON.parse(stdout);
  const fromFile = entries.filter(({ origin }) => origin === 'file');
  expect(fromFile).toHaveLength(settings.trim().split('\n').length);
  expect(unit).toContain('ExecStart=/usr/bin/waybill serve --config /etc/waybill.conf\n');
});

test('serve takes the settings of the composition in the guide', async () => {
  const [composition = ''] = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text);
  const values = new Map([
    ['DATABASE_PASSWORD', 'word'],
    ['SECRET_KEY', Buffer.alloc(32, 1).toString('base64')],
  ]);
  const variables = [...composition.matchAll(/^ +(WAYBILL_\w+): (.*)$/gm)].map(
    ([, name = '', value = '']) => [
      name,
      value.replaceAll(/\$\{(\w+)\}/g, (text, given) => values.get(given) ?? text),
    ],
  );
  const { exit, stdout, stderr } = await waybill(['serve', '--check', '--json'], {
    env: Object.fromEntries(variables),
  });
  expect([exit, stderr]).toEqual([0, '']);
  const entries: Entry[] = JSON.parse(stdout);
  // The secret key is not listed, as it has no flag.
  const fromVariables = entries.filter(({ origin }) => origin === 'environment');
  expect(fromVariables).toHaveLength(variables.length - 1);
});

const rules = /^```yaml\n(groups:\n.*?)^```$/ms.exec(page)?.[1] ?? '';
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

test.runIf(hasPromtool)('Prometheus accepts the alert rules of the guide', () => {
  const check = (text: string) => {
    const file = join(freshHome(), 'rules.yml');
    writeFileSync(file, text);
    return spawnSync('promtool', ['check', 'rules', file]).status;
  };
  expect(check(rules)).toBe(0);
  expect(check(rules.replace('increase(', 'increased('))).not.toBe(0);
});

test('the alert rules use metrics that exist', async () => {
  const metrics = createMetrics(async () => ({
    ...{ backlogs: [], open_streams: 0, skew_ms: 0, circuits: [] },
    storage: { transactions: 0, commits: 0, retries: 0, connections: { total: 0, idle: 0, waiting: 0 } },
    failed_writes: { conflicts: 0, disk_full: 0, unreachable: 0 },
  }));
  const known = [...(await metrics.text()).matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
  const used = [...rules.matchAll(/\bwaybill_\w+/g)].map(([name]) => name.replace(/_count$/, ''));
  expect(used.length).toBeGreaterThan(10);
  expect(known).toEqual(expect.arrayContaining(used));
});
