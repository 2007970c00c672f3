import { expect, test } from 'vitest';
import { runWithTimeout, SyncTimeout } from '../../../../src/cli/kit/output/jq.ts';
import { errorOf } from '../../harness.ts';
import { storeLine } from '../../sandbox.ts';
import { readings } from './hostile-text.ts';

const { box, lines } = await readings();
const idOf = (group: string) => lines.find(([noun, verb]) => noun === group && verb === 'get')?.[2] ?? '';
const delivery = idOf('deliveries');
const list = ['deliveries', 'list'];

test.each([
  [['--jq', '.[1].id'], `${delivery}\n`],
  [['--jq=.[1] | {id, fee: (.payment_amount + 1)}'], `{"id":"${delivery}","fee":854}\n`],
  [['--json=id,status', '--jq', '.[1]'], `{"id":"${delivery}","status":"disputed"}\n`],
  [['-o', 'ndjson', '--jq', '.status'], 'delivery_created\ndisputed\n'],
  [['--jq', '.[].status | ascii_upcase | "\\(.)\\n-"'], 'DELIVERY_CREATED\n-\nDISPUTED\n-\n'],
  [['--jq', 'empty'], ''],
  [['--jq', '-1'], '-1\n'],
  [
    ['--jq', '[.[].payment_amount] | @tsv, null, 12345678901234567890'],
    '647\t853\nnull\n12345678901234567890\n',
  ],
  [['--jq', '$ENV.HOME, (try input catch "no more")'], '/home/web_user\nno more\n'],
])('%j', async (flags, text) => {
  const { stdout, stderr, exit } = await box.run([...list, ...flags]);
  expect({ exit, stderr: stderr.replace(/^There is more.*\n/, '') }).toEqual({ exit: 0, stderr: '' });
  expect(stdout).toBe(text);
});

test.each([
  ['.[].late_seconds', '--jq finds nothing: the field is details.late_seconds.\n'],
  ['.[] | select(.dropoff_name == "Joe") | .id', '--jq finds nothing: the field is dropoffs.dropoff_name.\n'],
  ['.[].details.dispute.outcome', ''],
  ['.[] | select(.id == "dlv_1")', ''],
])('--jq %j that finds nothing says where a field of that name is', async (filter, said) => {
  expect((await box.run([...list, '--jq', filter])).stderr.replace(/^There is more.*\n/m, '')).toBe(said);
});

test.each([
  [['--jq', '.['], /Invalid --jq filter\.\njq: error: syntax error, unexpected end of file.* line 1:/],
  [['--jq', 'nothing'], /jq: error: nothing\/0 is not defined at <top-level>, line 1:/],
  [['--jq', '.', '-o', 'csv'], /--jq and --output csv cannot be used together/],
])('%j is refused before anything is sent', async (flags, message) => {
  const before = box.requests.length;
  const { stdout, stderr, exit } = await box.run([...storeLine, ...flags]);
  expect([exit, stdout, box.requests.length]).toEqual([2, '', before]);
  expect(errorOf(stderr).message, 'with --jq errors are JSON').toMatch(message);
});

test('an expression that does not fit the result reports the error and what was done', async () => {
  const filter = 'if .status == "disputed" then error("no") else .status end';
  const jq = await box.run([...list, '-o', 'ndjson', '--jq', filter]);
  expect([jq.exit, jq.stdout]).toEqual([2, 'delivery_created\n']);
  expect(errorOf(jq.stderr)).toMatchObject({
    code: 'expression_failed',
    message: expect.stringContaining('jq: error (at <stdin>:1): no'),
  });
  const made = await box.run([...storeLine, '--jq', 'error("no")']);
  expect([made.exit, JSON.parse(made.stdout).name, errorOf(made.stderr).message]).toEqual([
    2,
    'Grill',
    expect.stringMatching(/done all the same: str_/),
  ]);
});

test('each event of a stream is shaped separately', async () => {
  const watch = ['deliveries', 'watch', delivery];
  const { stdout } = await box.run([...watch, '--jq', '.type']);
  expect(stdout).toMatch(/^[a-z._]+\n/);
});

test('debug output of a filter goes to stderr; a dry run is not filtered', async () => {
  const { stderr, exit } = await box.run([...list, '--jq', 'debug | empty']);
  expect([exit, stderr]).toEqual([0, expect.stringContaining('["DEBUG:",[{')]);
  const dry = await box.run(['stores', 'delete', idOf('stores'), '--yes', '--dry-run', '--jq', '.deleted']);
  expect([dry.exit, JSON.parse(dry.stdout)]).toEqual([0, expect.objectContaining({ method: 'DELETE' })]);
});

test('the variables replace the flags, and a format on the line overrides them', async () => {
  const env = { WAYBILL_JQ: '.[0].status' };
  expect((await box.run(list, { env })).stdout).toBe('delivery_created\n');
  expect((await box.run([...list, '-o', 'id', '--limit', '1'], { env })).stdout).toMatch(/^dlv_\w+\n$/);
});

test.each([
  ['payment', ['payment_amount']],
  ['dropoff_name', ['dropoffs.dropoff_name']],
  ['dropoffs.dropof_name', ['dropoffs.dropoff_name']],
  ['statuss', ['status']],
  ['dropoffs.unit', ['dropoffs.dropoff_unit']],
  ['unit', ['pickup_unit', 'dropoffs.dropoff_unit']],
  ['courier', ['service']],
  ['provider', ['service']],
  ['total', ['fee']],
  ['recipient', ['dropoffs.dropoff_name']],
  ['ref', ['external_order_ref']],
])('an unknown field %s is reported with similar ones', async (field, near) => {
  const { exit, stderr } = await box.run([...list, `--json=id,${field}`]);
  const error = errorOf(stderr);
  expect([exit, error.code, error.hint]).toEqual([2, 'unknown_field', `Did you mean ${near.join(' or ')}?`]);
  expect(error.choices, 'only what it may mean').toEqual(near);
});

test.each([
  ['orders', 'deliveries', ['delivery_id'], 'Did you mean delivery_id?'],
  ['orders', 'zzz', ['id', 'object', 'status'], /^--help lists all \d\d fields\.$/],
  ['routes', 'zzz', ['id', 'object', 'status'], undefined],
])(
  'an unknown field of %s, %s, is reported with few others, or with all 20',
  async (group, field, first, hint) => {
    const { stderr } = await box.run([group, 'get', idOf(group), `--json=${field}`]);
    const { choices, hint: said } = errorOf(stderr);
    const names = Array.isArray(choices) ? choices : [];
    expect([names.slice(0, 3), said]).toEqual([first, hint && expect.stringMatching(hint)]);
    expect(names.length > 8).toBe(hint === undefined);
  },
);

test('an endless expression is stopped, and its errors are thrown', () => {
  const round = () => {
    for (;;);
  };
  expect(() => runWithTimeout(round, 20)).toThrow(SyncTimeout);
  expect(runWithTimeout(() => 7, 1000)).toBe(7);
  const broken = new TypeError('broken');
  expect(() =>
    runWithTimeout(() => {
      throw broken;
    }, 1000),
  ).toThrow(broken);
});
