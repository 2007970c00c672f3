import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { peakFlags, peakMegabytes } from '../bench/program.ts';
import { ended, freshHome, program, root } from '../program/run.ts';

// The memory of a check does not grow with the rows of a file. The heap is small, so that it is not garbage that is
// counted; what is kept to find repeated orders fits into it.

const smallHeap = ['--max-semi-space-size=2', '--max-old-space-size=40'];

const folder = join(root, 'test', 'cases', 'files');
const parcel = ['--set', 'dropoff_phone_number=+13125550100', '--set', 'items_description=Parcel'];

/** Files with their layout, the reference of an order that is sent, and the flags. */
const systems: [file: string, ref: string, flags: string[]][] = [
  ['02-shopify.csv', '#1003', ['--preset', 'shopify']],
  ['06-woo-statuses.csv', '7', ['--preset', 'woocommerce', '--status', 'Out for delivery']],
  ['19-squarespace.csv', '00001', ['--map', 'squarespace.map']],
  ['etsy.csv', '9001', ['--map', 'etsy.map', ...parcel]],
  ['ebay.csv', '13-14975-00010', ['--map', 'ebay.map']],
  ['amazon.txt', '123-4567890-1234567', ['--map', 'amazon.map', '--format', 'csv']],
  ['bigcommerce.csv', '118', ['--map', 'bigcommerce.map']],
  ['magento.csv', '000000042', ['--map', 'magento.map', ...parcel]],
];

/** The file with its head, and the rows of its order again and again, for other houses under other references. */
function grown(file: string, ref: string, count: number): string {
  const lines = readFileSync(join(folder, file), 'utf8').replace(/\n+$/, '').split(/\r?\n/);
  const reference = new RegExp(`(?<=^|[,\\t]|^")${ref}(?=[,\\t"])`);
  const rows = lines.filter((line) => reference.test(line));
  const head = lines.slice(0, lines.findIndex((line) => /ship|first name/i.test(line)) + 1);
  const again = Array.from({ length: count }, (_, at) =>
    rows.map((row) => row.replace(reference, `${ref}-${at}`).replaceAll('12 Main St', `${at + 1} Main St`)),
  );
  return [...head, ...again.flat(), ''].join('\n');
}

test.each(systems)('10,000 orders of %s are checked in the memory of 1,000', async (file, ref, flags) => {
  const home = freshHome();
  for (const name of flags.filter((flag) => flag.endsWith('.map')))
    writeFileSync(join(home.folder, name), readFileSync(join(folder, name)));
  const store = await ended(
    run([
      'stores',
      'create',
      '--name',
      'Grill',
      '--address',
      '43 E Ohio St, Chicago, IL 60611',
      '--phone',
      '+13125550100',
      '-o',
      'id',
    ]),
  );
  const peakOf = async (count: number) => {
    writeFileSync(join(home.folder, file), grown(file, ref, count));
    const { exit, stderr, stdout } = await ended(
      run(['orders', 'import', file, '--store', store.stdout.trim(), '--validate-only', '--json', ...flags]),
    );
    expect([exit, stdout], stderr).toEqual([0, expect.stringMatching(new RegExp(`"rows": ?${count}\\b`))]);
    return peakMegabytes(stderr);
  };
  const small = await peakOf(1_000);
  expect((await peakOf(10_000)) / small).toBeLessThan(1.25);

  function run(argv: readonly string[]) {
    return spawn(process.execPath, [...smallHeap, ...peakFlags, program, ...argv], {
      ...{ cwd: home.folder, env: home.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
});
