import { expect, test } from 'vitest';
import { hour_ms } from '../../../../../src/domain/durations.ts';
import { errorOf, jsonOf, linesIn, type RunOptions } from '../../../harness.ts';
import { sandbox } from '../../../sandbox.ts';
import { failingAfter, importFolder } from './import-folder.ts';
import { csvOf, orderAt } from './made-up-orders.ts';

const box = await sandbox();
let files = 0;

/** A file whose references are its own, and the same content under another name. */
function twice(count: number, change: (number: number) => Record<string, string> = () => ({})) {
  files += 1;
  const prefix = `T${files}-`;
  const rows = (then: (number: number) => Record<string, string>) =>
    csvOf(count, (number) => ({ external_order_ref: `${prefix}${number}`, ...then(number) }));
  return {
    prefix,
    today: importFolder(
      box,
      rows(() => ({})),
    ),
    tomorrow: importFolder(box, rows(change), 'tomorrow.csv'),
  };
}

async function recordsOf(noun: 'orders' | 'deliveries', prefix: string): Promise<string[]> {
  const { stdout } = await box.run([noun, 'list', '--all', '--limit', '100', '-o', 'ndjson']);
  const refs = linesIn(stdout).map((line): string => JSON.parse(line).external_order_ref);
  return refs.filter((ref) => ref.startsWith(prefix)).sort();
}

const auto = ['--auto', '--wait', '--timeout', '2m'];

test.each([
  ['manual', []],
  ['auto', auto],
])('%s: the same orders in another file are left out, and have one courier each', async (_, flags) => {
  const { prefix, today, tomorrow } = twice(3);
  expect((await today.run(flags, box.passing)).exit).toBe(0);
  const made = await recordsOf('orders', prefix);
  const sent = await recordsOf('deliveries', prefix);
  expect([made.length, sent.length]).toEqual([3, flags.length > 0 ? 3 : 0]);
  const { exit, stdout, stderr } = await tomorrow.run([...flags, '--json'], box.passing);
  expect([exit, jsonOf(stdout)]).toMatchObject([0, { rows: 3, made: 0, there_already: 3, failed: 0 }]);
  expect(stderr).not.toContain('Error');
  expect((await tomorrow.run(['--resume'])).stderr).toMatch(
    new RegExp(`3 orders are there already, such as ${prefix}0 \\(ord_\\w+\\)\\.`),
  );
  expect(await recordsOf('orders', prefix)).toEqual(made);
  expect(await recordsOf('deliveries', prefix)).toEqual(sent);
});

const open = { status: 'open', attempts: 0, reason: '' };
const ships = /waybill ship( ord_\w+){2} --cheapest --max-cost 28\.00/;

test.each<[what: string, flags: string[], isPartly: boolean, exit: number]>([
  ['none is dispatched', ['--wait', '--timeout', '2m'], false, 9],
  ['the new one is dispatched', ['--wait', '--timeout', '2m'], true, 10],
  ['without a wait', [], false, 0],
])('auto dispatch of orders that are there already, and open: %s', async (_, flags, isPartly, exit) => {
  const { prefix, today, tomorrow } = twice(isPartly ? 3 : 2, (number) =>
    number < 2 ? {} : { external_order_ref: `${files}-new` },
  );
  expect((await today.run()).exit).toBe(0);
  const line = ['--auto', '--max-cost', '14', ...flags];
  const seen = await tomorrow.run([...line, '--json'], box.passing);
  expect([seen.exit, jsonOf(seen.stdout)]).toMatchObject([
    exit,
    {
      there_already: 2,
      undispatched: [0, 1].map((at) => ({ ...open, external_order_ref: `${prefix}${at}` })),
    },
  ]);
  if (exit > 0) expect(JSON.stringify(errorOf(seen.stderr).next)).toMatch(ships);
  const { stderr } = await tomorrow.run([...line, '--resume'], box.passing);
  expect(stderr).toContain('2 of those there already are not dispatched: 2 open.\n');
  expect(stderr).toMatch(ships);
  const again = await today.run([...line, '--json']);
  expect([again.exit, errorOf(again.stderr)]).toMatchObject([
    6,
    { code: 'import_begun', next: [{ command: expect.stringMatching(/^waybill ship ord_/) }, {}] },
  ]);
  const resumed = await today.run([...line, '--resume', '--json']);
  expect([resumed.exit, errorOf(resumed.stderr)]).toMatchObject([
    6,
    { code: 'import_differs', next: [{ command: expect.stringMatching(/^waybill ship ord_/) }, {}] },
  ]);
});

test('a wait includes the batch of an earlier import, which still dispatches the orders', async () => {
  const { today, tomorrow } = twice(2);
  expect((await today.run(['--auto'])).exit).toBe(0);
  const { exit, stdout } = await tomorrow.run([...auto, '--json'], box.passing);
  expect([exit, jsonOf(stdout)]).toMatchObject([0, { there_already: 2, undispatched: [] }]);
});

test.each<[what: string, change: Record<string, string>, left: 'there_already' | 'failed']>([
  ['nothing', {}, 'there_already'],
  ['the items', { items_description: 'Bread' }, 'there_already'],
  ['how the phone is written', { dropoff_phone_number: '(312) 555-1001' }, 'there_already'],
  [
    'how the address is written',
    { dropoff_address: '2 south wacker drive, Chicago IL 60606' },
    'there_already',
  ],
  ['how the reference is written', { external_order_ref: ' REF\u200b ' }, 'there_already'],
  ['the address', { dropoff_address: '1060 W Addison St, Chicago, IL 60613' }, 'failed'],
  ['the name', { dropoff_name: 'Jane' }, 'failed'],
  ['the phone', { dropoff_phone_number: '+13125559999' }, 'failed'],
])('another file with other orders, and one of today in which %s differs', async (_, change, left) => {
  const { prefix, today, tomorrow } = twice(3, (number) => {
    if (number !== 1) return { external_order_ref: `new-${files}-${number}` };
    const { external_order_ref: ref } = change;
    return ref === undefined ? change : { external_order_ref: ref.replace('REF', `T${files}-1`) };
  });
  expect((await today.run()).exit).toBe(0);
  const checked = await tomorrow.run(['--validate-only', '--json']);
  const { there_already, invalid, similar, similar_count } = jsonOf(checked.stdout);
  const renamed = [0, 2].map((number) => ({
    ...{ line: number + 2, external_order_ref: `new-${files}-${number}` },
    same: ['dropoff_name', 'dropoff_phone_number'],
    order_external_order_ref: `${prefix}${number}`,
  }));
  expect([similar, similar_count, checked.stderr]).toMatchObject([
    renamed,
    2,
    expect.stringMatching(
      new RegExp(
        `Line 2, new-${files}-0, has the name, phone, address and items of ${prefix}0 \\(ord_.*\\?\nAnd 1 more row like `,
      ),
    ),
  ]);
  const reasons = left === 'failed' ? tomorrow.beside('.failed.csv') : '';
  const { exit, stdout, stderr } = await tomorrow.run(['--json']);
  const expected = { made: 2, failed: 0, there_already: 0, similar: renamed, [left]: 1 };
  expect([checked.exit, { there_already, failed: invalid }]).toMatchObject([
    exit,
    { there_already: 0, failed: 0, [left]: 1 },
  ]);
  expect([exit, jsonOf(stdout)]).toMatchObject([left === 'failed' ? 10 : 0, expected]);
  if (left === 'failed') {
    expect(errorOf(stderr).code).toBe('rows_failed');
    expect(reasons).toBe(tomorrow.beside('.failed.csv'));
    const { stderr: after } = await tomorrow.run(['--validate-only', '--json']);
    expect(errorOf(after).next).toMatchObject([
      { command: expect.stringMatching(/--resume$/), when: 'see the result again' },
    ]);
    expect(tomorrow.beside('.failed.csv')).toMatch(
      new RegExp(`is in use by order ord_\\w+ \\(open\\), which has another ${Object.keys(change)[0]}`),
    );
  }
  expect(await recordsOf('orders', prefix)).toEqual([0, 1, 2].map((number) => `${prefix}${number}`));
});

test('an order that was canceled is created again only on purpose, as any repeat', async () => {
  box.advance(3 * hour_ms);
  const { prefix, today, tomorrow } = twice(2);
  expect((await today.run()).exit).toBe(0);
  const [, line = ''] = linesIn(today.beside('.ok.csv'));
  await box.run(['orders', 'cancel', line.split(',')[2] ?? '']);
  const kept = { there_already: 1, created_again: 0, similar: [] };
  const own = await today.run(['--validate-only', '--json']);
  expect([own.exit, jsonOf(own.stdout)]).toMatchObject([
    0,
    { there_already: 2, created_again: 0, invalid: 0 },
  ]);
  expect(own.stderr).toMatch(/no order is made twice. Next: waybill orders import \S+ --resume/);
  const looked = await tomorrow.run(['--validate-only', '--json']);
  expect([looked.exit, jsonOf(looked.stdout)]).toMatchObject([10, { ...kept, invalid: 1 }]);
  const copied = await tomorrow.run(['--json', '--yes']);
  expect([copied.exit, jsonOf(copied.stdout)]).toMatchObject([10, { made: 0, failed: 1, ...kept }]);
  expect(tomorrow.beside('.failed.csv')).toMatch(/is that of order ord_\w+, which was canceled: --recreate-/);
  const freed = { there_already: 1, created_again: 1, similar: [] };
  const again = ['--restart', '--recreate-canceled', '--json'];
  const { stdout, stderr } = await tomorrow.run(again);
  expect([jsonOf(stdout), stderr]).toMatchObject([
    { made: 1, ...freed },
    expect.stringContaining(
      `One reference is that of an order that failed or was canceled, ${prefix}0: it is created again.`,
    ),
  ]);
  expect(await recordsOf('orders', prefix)).toHaveLength(3);
  expect((await tomorrow.run(['--restart', '--allow-duplicate-ref'])).exit).toBe(0);
  expect(await recordsOf('orders', prefix)).toHaveLength(5);
});

test('an order whose parcel was picked up and did not come back is not created again', async () => {
  box.advance(3 * hour_ms);
  const { today, tomorrow } = twice(1);
  await today.run();
  const [, line = ''] = linesIn(today.beside('.ok.csv'));
  const order = line.split(',')[2] ?? '';
  expect((await box.run(['ship', order, '--cheapest', '--max-cost', '50'], box.passing)).exit).toBe(0);
  const delivery = String((await box.json(['orders', 'get', order])).delivery_id);
  for (const status of ['pickup', 'picked_up', 'provider_canceled'])
    await box.run(['sandbox', 'step', delivery, status]);
  expect(await box.json(['deliveries', 'get', delivery])).toMatchObject({ status: 'provider_canceled' });
  const { exit } = await tomorrow.run(['--recreate-canceled', '--json', '--yes']);
  expect([exit, tomorrow.beside('.failed.csv')]).toEqual([
    10,
    expect.stringMatching(
      new RegExp(`it was picked up, and .* may still have it.*waybill retry ${delivery}`),
    ),
  ]);
});

test('--restart leaves out what is there already', async () => {
  const { prefix, today } = twice(2);
  expect((await today.run()).exit).toBe(0);
  expect((await today.run(['--restart'])).stdout).toContain('there_already\t2\n');
  expect(await recordsOf('orders', prefix)).toHaveLength(2);
});

test('many orders that are there already are not looked up one by one', async () => {
  const { today, tomorrow } = twice(320);
  const passing: RunOptions = {
    transport: async (request) => {
      if (request.method === 'POST') box.advance(1);
      return box.transport(request);
    },
  };
  expect((await today.run(['--concurrency', '1'], passing)).exit).toBe(0);
  const before = box.requests.length;
  expect((await tomorrow.run()).stdout).toContain('there_already\t320\n');
  expect(box.requests.length - before).toBeLessThan(30);
});

test('--validate-only says what is there already', async () => {
  const { prefix, today, tomorrow } = twice(3);
  expect(jsonOf((await tomorrow.run(['--validate-only', '--json'])).stdout)).toMatchObject({
    there_already: 0,
  });
  expect((await today.run()).exit).toBe(0);
  const { exit, stderr } = await tomorrow.run(['--validate-only']);
  expect([exit, stderr]).toEqual([
    0,
    expect.stringContaining(`3 orders are there already, such as ${prefix}0 (ord_`),
  ]);
  expect(stderr).toMatch(
    /^Next: waybill orders import tomorrow.csv\nTo dispatch them, too: waybill .* --auto --max-cost DOLLARS$/m,
  );
  expect(stderr).toContain(`There already: ${prefix}0 (line 2), ${prefix}1 (line 3), ${prefix}2 (line 4).`);
  const { there } = jsonOf((await tomorrow.run(['--validate-only', '--json'])).stdout);
  expect(there).toMatchObject([{ line: 2, external_order_ref: `${prefix}0` }, { line: 3 }, { line: 4 }]);
});

test('--validate-only names what a similar row has in common, and a look at the order before the import', async () => {
  const { prefix, today } = twice(1);
  expect((await today.run()).exit).toBe(0);
  const ref = (number: number) => ({ external_order_ref: `like${files}-${number}` });
  const like = importFolder(
    box,
    csvOf(1, (number) => ({ ...ref(number), dropoff_name: `Zoe ${files}` })),
  );
  const { exit, stderr } = await like.run(['--validate-only']);
  expect([exit, stderr]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(
        `like${files}-0, has the phone, address and items, but not the name of ${prefix}0 \\((ord_\\w+)\\).*\n` +
          'Every row can be sent, but some are .*\nNext: waybill orders get \\1\nOnly .*: waybill orders import ',
      ),
    ),
  ]);
  expect(stderr).not.toContain('--auto');
});

test('--validate-only says what is there already beside the rows that are wrong', async () => {
  const ref = (number: number) => ({ external_order_ref: `both${number}` });
  expect((await importFolder(box, csvOf(2, ref)).run()).exit).toBe(0);
  const wrong = (number: number) => ({
    ...ref(number),
    ...(number === 1 ? { dropoff_name: 'Jane' } : number === 2 ? { dropoff_phone_number: '12' } : {}),
  });
  const { exit, stderr } = await importFolder(box, csvOf(3, wrong)).run(['--validate-only', '--json']);
  expect([exit, errorOf(stderr)]).toMatchObject([
    2,
    {
      code: 'bad_rows',
      hint: expect.stringMatching(
        /One order is there already: both0 .* Line 3: .* has another dropoff_name: give/,
      ),
    },
  ]);
});

test('a service that does not know the check is named, and nothing blocks an import without it', async () => {
  const { run } = importFolder(
    box,
    csvOf(1, () => ({ external_order_ref: 'old-service' })),
  );
  const details = [{ path: 'unique_ref', message: 'is not known' }];
  const older: RunOptions = {
    transport: async (request) =>
      request.method === 'POST' && String(request.body).includes('"unique_ref"')
        ? {
            status: 400,
            headers: {},
            body: JSON.stringify({ object: 'error', code: 'invalid_request', message: 'no', details }),
          }
        : box.transport(request),
  };
  const { exit, stderr } = await run(['--json'], older);
  expect([exit, errorOf(stderr).code]).toEqual([6, 'not_supported']);
  expect(errorOf(stderr)).toMatchObject({ next: [] });
  expect((await run(['--allow-duplicate-ref'], older)).exit).toBe(0);
});

test('an import that stops between the refusal and the rest goes on, and creates nothing twice', async () => {
  const { prefix, today, tomorrow } = twice(4, (number) =>
    number < 2 ? {} : { external_order_ref: `T${files}-new-${number}` },
  );
  expect((await today.run()).exit).toBe(0);
  expect((await tomorrow.run([], failingAfter(box, 1))).exit).toBe(7);
  expect(await tomorrow.run(['--resume', '--allow-duplicate-ref'])).toMatchObject({
    exit: 6,
    stderr: expect.stringContaining('It was started without --allow-duplicate-ref.'),
  });
  const { stdout } = await tomorrow.run(['--resume', '--json']);
  expect(jsonOf(stdout)).toMatchObject({ made: 2, there_already: 2, failed: 0 });
  expect(await recordsOf('orders', prefix)).toHaveLength(6);
});

test('an order in two rows has one courier', async () => {
  const { prefix, today } = twice(1);
  const rows = ['Soup', 'Bread'].map((name) => {
    const cells = { ...orderAt(0), tip: '', items_description: name, external_order_ref: `${prefix}0` };
    return Object.values(cells).map((cell) => `"${cell}"`);
  });
  const text = [Object.keys(orderAt(0)), ...rows].map((cells) => cells.join(',')).join('\n');
  expect((await importFolder(box, `${text}\n`).run(auto, box.passing)).exit).toBe(0);
  expect(await recordsOf('deliveries', prefix)).toHaveLength(1);
  expect((await today.run(auto, box.passing)).stdout).toContain('there_already\t1\n');
});
