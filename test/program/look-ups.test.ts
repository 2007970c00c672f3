import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { orderRequest } from '../service/fixture.ts';
import { freshHome, type Home, inProcess, waybill } from './run.ts';

/** The files of the program that a look-up loads, as the cache of compiled code names them. */
async function loadedBy(home: Home, ...line: string[]): Promise<string[]> {
  const cache = join(home.folder, `cache-${line.slice(0, 2).join('-')}`);
  home.env.WAYBILL_CACHE_DIR = cache;
  expect(await waybill(home, ...line)).toMatchObject({ exit: 0 });
  const files = readdirSync(join(cache, 'compiled'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.bin'))
    .map((file) => file.replace(/^.*[\\/]|\.cjs\.bin$/g, ''));
}

/** Only writes, background work, a remote service, and lists with filters need these. */
const unneeded = ['service', 'phones', 'pool', '_prepared_operations', 'kysely'];

test('look-ups on the embedded service load no more than they need', async () => {
  const home = freshHome();
  const file = join(home.folder, 'delivery.json');
  writeFileSync(file, JSON.stringify({ ...orderRequest(), initiate: true }));
  const { stdout: id } = await inProcess(home, 'deliveries', 'create', '--file', file, '-o', 'id');
  const get = await loadedBy(home, 'deliveries', 'get', id.trim());
  expect(get).toContain('embedded');
  const builders = ['faults', 'validation'];
  expect(get.filter((name) => [...unneeded, ...builders].includes(name))).toEqual([]);
  for (const line of [
    ['deliveries', 'list'],
    ['orders', 'list'],
  ]) {
    const list = await loadedBy(home, ...line);
    expect(list).toContain('embedded');
    expect(list.filter((name) => unneeded.includes(name))).toEqual([]);
  }
  expect(await loadedBy(home, 'deliveries', 'list', '--status', 'canceled')).toContain('kysely');
});

test('look-ups make no formatter of Intl, the first of which takes as long as half of a start of Node', async () => {
  const home = freshHome();
  const watch = join(home.folder, 'watch.cjs');
  writeFileSync(
    watch,
    `for (const name of ['DateTimeFormat', 'Collator', 'NumberFormat', 'ListFormat', 'Segmenter'])
      Intl[name] = new Proxy(Intl[name], { construct() { throw new Error('Intl.' + name); } });`,
  );
  home.env.NODE_OPTIONS = `--require "${watch}"`;
  for (const line of [
    ['deliveries', 'list', '--json'],
    ['orders', 'list', '--json'],
    ['batches', 'list', '-o', 'id'],
  ]) {
    expect(await waybill(home, ...line)).toMatchObject({ exit: 0 });
  }
});
