import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createOrderCheck } from '../../../../../../src/cli/commands/orders/import/check-order.ts';
import { openTable } from '../../../../../../src/cli/commands/orders/import/reading/open-table.ts';
import {
  createCsvFile,
  failedHeader,
  failedLines,
} from '../../../../../../src/cli/commands/orders/import/result-files.ts';
import {
  createTally,
  filesOf,
  type Layout,
  type SourceFormat,
} from '../../../../../../src/cli/commands/orders/import/source.ts';
import { UsageError } from '../../../../../../src/cli/kit/errors/failure.ts';
import { plainText } from '../../../../../../src/cli/kit/result/message.ts';
import { loadGazetteer } from '../../../../../../src/cli/session/gazetteer.ts';
import { freshHome, linesIn } from '../../../../harness.ts';
import { all, orderAt } from '../made-up-orders.ts';

const home = freshHome();
let files = 0;

async function table(content: string | Buffer, format: SourceFormat = 'csv', given: Partial<Layout> = {}) {
  files += 1;
  const path = join(home, `${files}`);
  writeFileSync(path, content);
  const layout = {
    preset: null,
    map: [],
    store: null,
    only: [],
    statuses: [],
    set: [],
    dateAttributes: [],
    isOrderPerRow: false,
    ...given,
  };
  const source = { name: 'orders', path, format, layout, typed: {}, files: filesOf(path) };
  return openTable(source, createTally());
}

async function rowsOf(content: string | Buffer, format: SourceFormat = 'csv') {
  return all((await table(content, format)).rows);
}

const header = 'pickup_store_id,dropoff_address,dropoff_name,dropoff_phone_number,items_description';

test('headers in any case and order, with spaces and dashes; unknown ones are named', async () => {
  const { rows, ignored, columns } = await table(
    'Colour,Items-Description,DROPOFF NAME,dropoff address,Dropoff_Phone_Number,pickup store-id,line,error\nred,x,Joe,a,+1,str_1,,\n',
  );
  expect(columns).toHaveLength(8);
  expect(ignored).toEqual(['Colour']);
  expect((await all(rows)).map(({ fields }) => fields)).toEqual([
    {
      ...{ items_description: 'x', dropoff_name: 'Joe', dropoff_address: 'a' },
      ...{ dropoff_phone_number: '+1', pickup_store_id: 'str_1' },
    },
  ]);
});

test('quotes, a byte order mark, any line end; each row has its first line number', async () => {
  const text = `\ufeff${header}\r\nstr_1,"1 Main St, 60601",Joe,+1,"two\r\nlines, and ""more"""\r\n\r\n,,,,\nstr_1,b,Zoë,+2,y\rstr_1,c,Kim,+3,z`;
  const rows = await rowsOf(text);
  expect(rows.map(({ line, fields }) => [line, fields.dropoff_name, fields.items_description])).toEqual([
    [2, 'Joe', 'two\nlines, and "more"'],
    [6, 'Zoë', 'y'],
    [7, 'Kim', 'z'],
  ]);
});

test('a row with too few or too many values is an error; empty ones at the end are not', async () => {
  const rows = await rowsOf(`${header}\ns,a,n\ns,a,n,p,i,more\ns,a,n,p,i,,\n`);
  expect(rows.map(({ faults }) => faults.map(({ message }) => message))).toEqual([
    ['has 3 values, the header has 5'],
    ['has 6 values, the header has 5'],
    [],
  ]);
  // The comma of an amount without quotes has moved the notes into the amount.
  const [moved] = await rowsOf(`${header},order_value,dropoff_notes\ns,a,n,p,i,$1,234.50,\n`);
  expect(moved?.faults.map(({ message }) => message)).toEqual(['has 8 values, the header has 7']);
});

test('cells are converted to their field’s type; a whole number in a column of dollars is refused', async () => {
  const columns = `${header},tip,order_value,request_signature,item_name,item_quantity,items`;
  const [good, bad, signed] = await rowsOf(
    [
      columns,
      's,a,n,p,,0,$42.50,TRUE,Soup,3,',
      's,a,n,p,,4250,4.505,yes,Soup,two,"[{"',
      's,a,n,p,,$9,,,,,',
      '',
    ].join('\n'),
  );
  // The sign says that these are dollars.
  expect(signed).toMatchObject({ fields: { tip: 900 }, faults: [] });
  expect(good?.fields).toMatchObject({
    ...{ tip: 0, order_value: 4250, request_signature: true, items: [{ name: 'Soup', quantity: 3 }] },
  });
  expect(bad?.faults.map(({ path, message }) => `${path} ${message}`)).toEqual([
    'tip must be dollars with two decimals: write 4250.00, or read the column as tip_dollars if "4250" is dollars, as tip_cents if it is cents',
    'order_value must be dollars such as 4.50, not "4.505"',
    'request_signature must be true or false, not "yes"',
    'items must be JSON such as [{"name":"Soup","quantity":2}], or words',
    'item_quantity must be a whole number, not "two"',
  ]);
});

test.each([
  ['[{""name"":""Soup"",""quantity"":2}]', [{ name: 'Soup', quantity: 2 }]],
  ['Soup', [{ name: 'Soup', quantity: 1 }]],
  ['Fish, chips and peas', [{ name: 'Fish, chips and peas', quantity: 1 }]],
  [
    '2x Soup; Tea',
    [
      { name: 'Soup', quantity: 2 },
      { name: 'Tea', quantity: 1 },
    ],
  ],
  [
    '2 x Soup (small), 1 x Tea, iced (large)',
    [
      { name: 'Soup', quantity: 2, size: 'small' },
      { name: 'Tea, iced', quantity: 1, size: 'large' },
    ],
  ],
  [
    '2 x Soup, 1 x Tea',
    [
      { name: 'Soup', quantity: 2 },
      { name: 'Tea', quantity: 1 },
    ],
  ],
  ['1.5 x Beef', [{ name: '1.5 x Beef', quantity: 1 }]],
  ['3 × Pizza', [{ name: 'Pizza', quantity: 3 }]],
  ['Soup (x2)', [{ name: 'Soup', quantity: 2 }]],
  ['Tea (Qty:3)', [{ name: 'Tea', quantity: 3 }]],
  ['Lumber 2 x 4', [{ name: 'Lumber 2 x 4', quantity: 1 }]],
  ['2', [{ name: 'Item', quantity: 2 }]],
  [
    'Cola 12x, ATT5 x2, Cookies 4pcs, Soup (3)',
    [
      { name: 'Cola', quantity: 12 },
      { name: 'ATT5', quantity: 2 },
      { name: 'Cookies', quantity: 4 },
      { name: 'Soup', quantity: 3 },
    ],
  ],
  ['Vitamin B 12, Zinc 50', [{ name: 'Vitamin B 12, Zinc 50', quantity: 1 }]],
  ['Lens 10x', [{ name: 'Lens 10x', quantity: 1 }]],
  ['Lumber 2 x 4, Soup x2', [{ name: 'Lumber 2 x 4, Soup x2', quantity: 1 }]],
])('the items %s are read', async (text, items) => {
  const [row] = await rowsOf([`${header},items`, `s,a,n,p,,"${text}"`, ''].join('\n'));
  expect(row).toMatchObject({ fields: { items }, faults: [] });
});

test('amounts in cents have columns of their own', async () => {
  const [good, bad] = await rowsOf(
    [`${header},tip_cents,order_value_cents`, 's,a,n,p,i,450,4000', 's,a,n,p,i,4.50,', ''].join('\n'),
  );
  expect(good?.fields).toMatchObject({ tip: 450, order_value: 4000 });
  expect(bad?.faults).toEqual([{ path: 'tip', message: 'must be a whole number, not "4.50"' }]);
  await expect(rowsOf(`${header},tip,tip_cents\n`)).rejects.toThrow(/column tip twice/);
});

test('a phone number that Excel has shortened is left as it is, for the check to refuse', async () => {
  const cells = ['3.12556E+10', '1.3125550142E+10', "'+13125550142"];
  const [cut, whole, marked] = await rowsOf(
    `${header}\n${cells.map((phone) => `s,a,n,${phone},i\n`).join('')}`,
  );
  expect(cut?.fields.dropoff_phone_number).toBe('3.12556E+10');
  for (const row of [whole, marked]) expect(row?.fields.dropoff_phone_number).toBe('+13125550142');
});

test('columns are mapped to fields; several of one text are joined, and parts make an address', async () => {
  const map: Layout['map'] = [
    ['First', 'dropoff_name'],
    ['last', 'dropoff_name'],
    ['Street', 'dropoff_street'],
    ['Zip', 'dropoff_zip'],
    ['Phone', 'dropoff_phone_number'],
    ['What', 'items_description'],
  ];
  const text = 'First,Last,Street,Zip,Phone,What,x\nAda,Lo,"1 Main St",\'2139,(312) 555-0142,Soup,\n';
  const { rows, ignored, label } = await table(text, 'csv', { map, store: 'str_1' });
  expect(ignored).toEqual(['x']);
  expect((await all(rows)).map(({ fields }) => fields)).toEqual([
    {
      ...{
        dropoff_name: 'Ada Lo',
        dropoff_address: '1 Main St, 02139',
        dropoff_phone_number: '+13125550142',
      },
      ...{ items_description: 'Soup', pickup_store_id: 'str_1' },
    },
  ]);
  expect(label('dropoff_phone_number')).toBe('Phone (dropoff_phone_number)');
  const wrong = (pair: readonly [string, string]) => table(text, 'csv', { map: [...map, pair], store: 's' });
  await expect(wrong(['Lats', 'dropoff_name'])).rejects.toThrow('no column "Lats"');
  await expect(wrong(['x', 'dropof_unit'])).rejects.toThrow('no field dropof_unit');
});

test('phone numbers of the USA need no country in any file, as in flags', async () => {
  const cells = ['(312) 555-0142', '13125550142', '+44 20 7946 0958', '555-0142'];
  const rows = await rowsOf(`${header}\n${cells.map((phone) => `s,a,n,${phone},i\n`).join('')}`);
  expect(rows.map(({ fields }) => fields.dropoff_phone_number)).toEqual([
    ...['+13125550142', '+13125550142', '+442079460958', '555-0142'],
  ]);
  const [json] = await rowsOf('{"dropoff_phone_number":"(312) 555-0142"}\n', 'ndjson');
  expect(json?.fields.dropoff_phone_number).toBe('+13125550142');
});

test('the file of failed rows is read without its formula guards, any other unchanged', async () => {
  const text = (columns: string) => `${header}${columns}\ns,a,'=n,p,i${columns.replace(/\w+/g, 'x')}\n`;
  const [own] = await rowsOf(text(',line,error'));
  const [other] = await rowsOf(text(''));
  expect([own?.fields.dropoff_name, other?.fields.dropoff_name]).toEqual(['=n', "'=n"]);
});

test('a time without a zone is the time at the address of that end', async () => {
  const times = [
    '2026-03-05 13:00',
    '03/05/2026 1:00 PM',
    '2026-03-05T13:00',
    '2026-03-05T13:00Z',
    '2026-03-05T13:00:00-06:00',
  ];
  const chicago = '"233 S Wacker Dr, Chicago, IL 60606"';
  const lines = times.map((time) => `s,${chicago},n,p,i,${time}\n`).join('');
  const rows = await rowsOf(`${header},dropoff_at\n${lines}`);
  const local = '2026-03-05T19:00:00.000Z';
  expect(rows.map(({ fields }) => fields.dropoff_at)).toEqual([
    ...[local, local, local, '2026-03-05T13:00:00.000Z', local],
  ]);
});

test.each([
  ['dropoff_at', '2026-03-05', /^must have a time of day, such as "2026-03-05 6pm"/],
  ['dropoff_at', 'Thursday 1pm', /^must be a date and time such as 2026-01-31 15:00 or /],
  ['dropoff_at', '2026-03-05 13:00', /-06:00: the file does not say the zone of its address$/],
  // A store has its address at the service only.
  ['pickup_at', '2026-03-05 13:00', /-06:00: the file does not say the zone of its store$/],
])('a time that is not known is refused, with one as people write it: %s %s', async (path, time, message) => {
  const [row] = await rowsOf(`${header},${path}\nstr_1,nowhere,n,p,i,${time}\n`);
  expect(row?.fields).not.toHaveProperty(path);
  expect(row?.faults).toEqual([{ path, message: expect.stringMatching(message) }]);
});

test.each([
  ['', /nothing in orders/],
  ['dropoff_name,tip\nJoe,1\n', /no column pickup_address, .*items or items_description or item_name/],
  [`${header},Tip,tip\n`, /column tip twice/],
  [`${header}\ns,a,"n,p,i\n`, /below row 2, .*: a quote is opened and never closed/],
  [`${header}\ns,a,"n"n,p,i\n`, /near line 2: more follows after the closing quote/],
  [`${header}\ns,a,"${'x'.repeat(1_100_000)}`, /longer than 1 MiB/],
  [Buffer.from(`${header}\ns,a,Zo\xeb,p,i\n`, 'latin1'), /not UTF-8/],
])('a file that is not a table of orders is refused: %#', async (content, message) => {
  await expect(rowsOf(content)).rejects.toThrow(message);
});

test.each([
  [';', 's;"a; b";n;p;"i, j";"4,50"'],
  ['\t', 's\ta; b\tn\tp\ti, j\t$4.5'],
  [',', 's,a; b,n,p,"i, j","4,50"'],
])('values may be separated by %j, and amounts be written as other programs do', async (separator, row) => {
  const text = `\ufeff${header},tip`.replaceAll(',', separator);
  const [found] = await rowsOf(`${text}\n${row}\n`);
  expect(found?.fields).toMatchObject({ dropoff_address: 'a; b', items_description: 'i, j', tip: 450 });
});

test('a similar column name is reported', async () => {
  const error: unknown = await table(header.replace('dropoff_address', 'dropoff_adress')).catch((e) => e);
  const hint = error instanceof UsageError ? error.details.hint : undefined;
  expect(plainText(hint ?? '')).toBe('The column dropoff_adress is not known. Did you mean dropoff_address?');
});

test('the columns of phone numbers may be called like the flags', async () => {
  const short = header.replaceAll('phone_number', 'phone');
  expect(short).toContain('dropoff_phone');
  const [found] = await rowsOf(`${short}\ns,a,n,312-555-0102,i\n`);
  expect(found?.fields).toMatchObject({ dropoff_phone_number: expect.any(String) });
});

test('the short names of --columns are read beside our own', async () => {
  const [own] = await rowsOf(`${header},ref,value\ns,a,n,p,i,R-1,$42.50\n`);
  expect(own?.fields).toMatchObject({ external_order_ref: 'R-1', order_value: 4250 });
});

test('NDJSON: an order on each line, null as missing, invalid lines are reported by number', async () => {
  const rows = await rowsOf(
    '{"tip":null,"items":[{"name":"a","size":null}]}\r\n\n[1]\n{"a"\n{"tip":1}',
    'ndjson',
  );
  expect(rows.map(({ line, fields, faults }) => [line, fields, faults.length])).toEqual([
    [1, { items: [{ name: 'a' }] }, 0],
    [3, {}, 1],
    [4, {}, 1],
    [5, { tip: 1 }, 0],
  ]);
  await expect(rowsOf('x'.repeat(1_100_000), 'ndjson')).rejects.toThrow(/line 1 is longer than 1 MiB/);
});

test('JSON: an array of orders or a request body; each row has its line number', async () => {
  const orders = '[ {"tip":1, "items":[{"name":"],[,"}]},\n\n  {"tip":\n2},[1]\n]';
  const expected = [
    [1, { tip: 1, items: [{ name: '],[,' }] }, 0],
    [3, { tip: 2 }, 0],
    [4, {}, 1],
  ];
  for (const text of [`\ufeff${orders}`, `{"settings":{"mechanism":"auto"},"orders":${orders}}`]) {
    const { rows, columns, ignored } = await table(text, 'json');
    const found = await all(rows);
    expect(found.map(({ line, fields, faults }) => [line, fields, faults.length])).toEqual(expected);
    expect([columns, ignored]).toEqual([['order'], text.startsWith('{') ? ['settings'] : []]);
  }
  expect(await rowsOf('[]', 'json')).toEqual([]);
  const [long] = await rowsOf(
    '[{"pickup_name":"5764614130387857","external_order_ref":5764614130387857510}]',
    'json',
  );
  expect(long?.fields).toMatchObject({ external_order_ref: '5764614130387857510' });
});

test('JSON of another system has a column also where it is null, and where only a later order has it', async () => {
  const order = { note: null, to: { unit: null, name: 'Joe', at: '1 Main St', tel: '+1' }, item: 'Tea' };
  const fields = ['note=notes', 'to.unit=unit', 'to.name=name', 'to.at=address', 'to.tel=phone_number'];
  const map = [...fields.map((each) => each.replace('=', '=dropoff_')), 'item=items'];
  const pairs = map.map((each): [string, string] => [each.split('=')[0] ?? '', each.split('=')[1] ?? '']);
  const { rows } = await table(JSON.stringify([order]), 'json', { map: pairs, store: 'str_1' });
  expect((await all(rows))[0]?.fields).toMatchObject({ dropoff_name: 'Joe' });
  const later = [
    ...Array.from({ length: 30 }, () => ({ ...order, note: undefined })),
    { ...order, note: 'Ring' },
  ];
  const late = await all((await table(JSON.stringify(later), 'json', { map: pairs, store: 'str_1' })).rows);
  expect(late.at(-1)?.fields).toMatchObject({ dropoff_notes: 'Ring' });
  const misspelled = table(JSON.stringify([order]), 'json', { map: [['notes', 'dropoff_notes'], ...pairs] });
  await expect(misspelled).rejects.toThrow('no column "notes"');
});

test.each([
  ['', /nothing in orders/],
  ['{"tip":1}', /holds no array/],
  ['"x"', /holds no array/],
  ['[{"tip":1}', /orders is not valid JSON: line 1, column 11: the text ends too early\.$/],
  ['{"tip":1}\n{"tip":2}', /orders is not valid JSON/],
  [`["${'x'.repeat(65 * 1024 * 1024)}"]`, /longer than 64 MiB/],
])('invalid JSON of orders is refused: %#', async (content, message) => {
  await expect(rowsOf(content, 'json')).rejects.toThrow(message);
});

test.each([
  ['{"tip" 1}', 'line 3, column 8: expected a colon, not 1'],
  ['{"tip":', 'line 3, column 8: the text ends too early'],
  ['  {"tip": x}', 'line 3, column 11: expected a value, not x'],
])('invalid JSON is reported with its line of the file and its column: %#', async (text, fault) => {
  const rows = await rowsOf(`{"tip":1}\n\n${text}\r\n{"tip":2}`, 'ndjson');
  expect(rows.map(({ faults }) => faults)).toEqual([
    [],
    [{ path: 'order', message: `is not valid JSON: ${fault}` }],
    [],
  ]);
});

test.each([
  ['csv', [header, 's,a,n\u001b[31m,p,\\u001b \u202e\u009b \\'], 'dropoff_name'],
  ['ndjson', ['{"tip":1,"dropoff_notes":"\\u001b\u202e"}'], 'dropoff_notes'],
] as const)(
  '%s: a failed row is the same row again, and control characters are shown',
  async (format, lines, field) => {
    const { columns, rows } = await table(lines.join('\n'), format);
    const [row] = await all(rows);
    if (row === undefined) throw new Error('there is a row');
    const written = async (of: readonly string[], cells: readonly string[]) => {
      files += 1;
      const file = createCsvFile(join(home, `${files}`), failedHeader(of));
      await file.write(...failedLines(of, { cells, line: 2, error: 'no \u001b' }));
      await file.keep();
      return readFileSync(join(home, `${files}`), 'utf8');
    };
    const text = await written(columns, row.cells);
    expect(text).toMatch(/^[\n -~]*$/);
    expect(text).toContain('no \\u001b');
    const again = await table(text);
    const [read] = await all(again.rows);
    expect(read?.fields).toEqual(row.fields);
    expect(String(row.fields[field])).toContain('\u001b');
    expect(await written(again.columns, read?.cells ?? [])).toBe(text);
  },
);

test('values beyond the header are kept in the file of failed rows, which is refused until it is corrected', async () => {
  const { columns, rows } = await table(`${header}\n1,2 Main St – 60601,Zoë,+1,i,to the left,,of the door`);
  const [row] = await all(rows);
  const path = join(home, 'surplus');
  const file = createCsvFile(path, failedHeader(columns));
  await file.write(...failedLines(columns, { cells: row?.cells ?? [], line: 2, error: 'row: too long' }));
  await file.keep();
  const text = readFileSync(path, 'utf8');
  expect(text.trimEnd().split('\n').at(-1)).toMatch(/,2,row: too long,to the left,,of the door$/);
  const [again] = await all((await table(text)).rows);
  expect(again?.faults).toMatchObject([{ path: 'row' }]);
});

test('a file larger than one read is not cut', async () => {
  const lines = Array.from(
    { length: 9_000 },
    (_, number) => `s,${number} Main St – 60601,Zoë ${number},+1,i`,
  );
  const rows = await rowsOf([header, ...lines].join('\r\n'));
  expect(rows.map(({ cells }) => cells.join(','))).toEqual(lines);
  expect(rows.at(-1)?.line).toBe(9_001);
});

test('a line end across two reads counts once', async () => {
  const start = `${header}\r\ns,a,n,+1,`;
  const text = `${start.padEnd(256 * 1024 - 1, 'x')}\r\ns,b,n,+1,i\r\n`;
  expect((await rowsOf(text)).map(({ line }) => line)).toEqual([2, 3]);
});

test('a file of many rows is written completely, with bounded memory', async () => {
  const warnings: string[] = [];
  const warn = ({ name }: Error) => void warnings.push(name);
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  const path = join(freshHome(), 'many.csv');
  const file = createCsvFile(path, ['line', 'text']);
  for (let line = 1; line <= 20_000; line += 1) await file.write([line, 'x'.repeat(200)]);
  await file.keep();
  expect(linesIn(readFileSync(path, 'utf8'))).toHaveLength(20_001);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});

test('a symbolic link in place of the draft is removed, and its target is left alone', async () => {
  const home = freshHome();
  const [path, other] = [join(home, 'orders.ok.csv'), join(home, 'other')];
  writeFileSync(other, 'mine');
  symlinkSync(other, `${path}.part`);
  const file = createCsvFile(path, ['line']);
  await file.write([1]);
  await file.keep();
  expect([readFileSync(other, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['mine', 'line\n1\n']);
});

test('coordinates in CSV are degrees', async () => {
  const rows = await rowsOf(
    `${header},dropoff_latitude,dropoff_longitude\ns,a,n,p,i,41.87888,-87.63591\ns,a,n,p,i,41.9N,\n`,
  );
  expect(rows[0]?.fields).toMatchObject({ dropoff_latitude: 41.87888, dropoff_longitude: -87.63591 });
  expect(rows[1]?.faults).toEqual([
    { path: 'dropoff_latitude', message: 'must be degrees such as 41.8788, not "41.9N"' },
  ]);
});

const now = Date.parse('2026-03-02T10:00:00.000Z');
const check = createOrderCheck({ now });

test.each([
  [{ dropoff_name: undefined }, 'dropoff_name is required'],
  [
    { dropoff_address: '233 S Wacker Dr' },
    'dropoff_address must have a ZIP code, or a street, city and state',
  ],
  [{ pickup_store_id: 'str_1' }, 'pickup_address cannot be given together with pickup_store_id'],
  [{ pickup_at: '2026-03-02T09:00:00Z' }, 'pickup_at must be in the future'],
])('%j: %s', (change, message) => {
  const order = Object.fromEntries(
    Object.entries({ ...orderAt(0), ...change }).filter(([, value]) => value !== undefined),
  );
  const faults = check(order).map((fault) => `${fault.path} ${fault.message}`);
  expect(faults.filter((fault) => fault.startsWith(message))).toHaveLength(1);
});

test('a valid order has no error, and all errors of another are reported at once', () => {
  expect(check(orderAt(0))).toEqual([]);
  expect(createOrderCheck({ now: null })({ ...orderAt(0), pickup_at: '2020-01-01T00:00:00Z' })).toEqual([]);
  const bad = { ...orderAt(0), dropoff_name: '', tip: -1, pickup_phone_number: '1', dropoff_address: 'x' };
  expect(
    check(bad)
      .map(({ path }) => path)
      .sort(),
  ).toEqual([...['dropoff_address', 'dropoff_name', 'pickup_phone_number', 'tip']]);
});

test('coordinates far from their ZIP code are found where the tables are known', async () => {
  const order = { ...orderAt(0), dropoff_latitude: 41.9, dropoff_longitude: 87.6 };
  expect(check(order)).toEqual([]);
  const placed = createOrderCheck({ now, gazetteer: await loadGazetteer() });
  expect(placed(order)).toEqual([
    {
      path: 'dropoff_latitude',
      message: expect.stringMatching(/^is \d+ miles from the centre of ZIP code \d{5}: at most 25/),
    },
  ]);
  expect(placed({ ...order, dropoff_longitude: -87.6 })).toEqual([]);
});
