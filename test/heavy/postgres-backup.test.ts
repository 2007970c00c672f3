import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { systemConfig } from '../../src/service/runtime/system.ts';
import { createService } from '../../src/service/service.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { postgresTools, startInstalled } from '../installed-postgres.ts';
import { executeOn } from '../postgres.ts';
import { batchNow, newBatch, withScenario } from '../service/auto-dispatch/batches.ts';
import { clientOf, startFixture } from '../service/fixture.ts';

/** The commands of the guide. */
const guide = readFileSync(join(import.meta.dirname, '../../src/guide/operating.md'), 'utf8');
const [dump = '', restore = ''] = [...guide.matchAll(/`(pg_(?:dump|restore) [^`]+)`/g)].map(
  ([, line]) => line,
);

/** The number of rows of each table, with a hash of their content. */
async function contentOf(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  );
  const content: Record<string, string> = {};
  for (const { name } of rows) {
    const { rows: found } = await client.query<{ content: string }>(
      `select count(*) || ' ' || md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as content from ${name} t`,
    );
    content[name] = found[0]?.content ?? '';
  }
  await client.end();
  return content;
}

test.runIf(postgresTools !== '')(
  'a dump of PostgreSQL restores every row, and the open work goes to its end',
  async () => {
    const { folder, urlOf } = await startInstalled();
    for (const name of ['shop', 'restored']) await executeOn(urlOf('postgres'), `create database ${name}`);
    const fixture = await startFixture({ location: urlOf('shop') });
    const orders = Array.from({ length: 12 }, (_, index) =>
      withScenario(index % 3 === 0 ? 'payment_declined_once' : 'happy_path'),
    );
    const batch_id = await newBatch(fixture.client(), orders, { retry_interval: 600, retry_window: 3_600 });
    await fixture.pass(300_000);
    expect((await batchNow(fixture.client(), batch_id)).counts.pending).toBeGreaterThan(0);
    await fixture.service.stop();
    await fixture.storage.close();

    const env = { PATH: `${postgresTools}:${process.env.PATH}`, DATABASE_URL: urlOf('shop') };
    execFileSync('sh', ['-ec', dump], { cwd: folder, env });
    execFileSync('sh', ['-ec', restore], {
      cwd: folder,
      env: { ...env, NEW_DATABASE_URL: urlOf('restored') },
    });
    const content = await contentOf(urlOf('restored'));
    expect(content).toEqual(await contentOf(urlOf('shop')));
    expect(content).toMatchObject({
      orders: expect.stringMatching(/^12 /),
      tasks: expect.not.stringMatching(/^0 /),
    });

    const storage = await openStorage(urlOf('restored'));
    const { sealing, clock, wall, monotonic, sandbox, publicUrl, onFault } = fixture.config;
    const parts = { clock, wall, monotonic, sandbox, publicUrl, ...(onFault && { onFault }) };
    const service = createService({ ...systemConfig(storage, { sealing }), ...parts });
    const client = clientOf(service, fixture.keys.test);
    for (let minutes = 0; minutes < 120; minutes += 1) await fixture.pass(60_000, service.tick);
    const batch = await batchNow(client, batch_id);
    expect(batch).toMatchObject({ status: 'complete', counts: { dispatched: 12, pending: 0 } });
    const { data } = await client.deliveries.list({ query: { limit: 100 } });
    expect(data.data.filter(({ status }) => status === 'delivered')).toHaveLength(12);
    expect(fixture.faults).toEqual([]);
    await service.stop();
    await storage.close();
  },
);
