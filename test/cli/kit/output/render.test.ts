import { expect, test } from 'vitest';
import type { OutputSettings, RenderContext } from '../../../../src/cli/kit/output/output-settings.ts';
import { writeInFormat } from '../../../../src/cli/kit/output/write-result.ts';
import {
  type Column,
  drawingResult,
  type Format,
  listResult,
  type Result,
  recordResult,
  streamResult,
} from '../../../../src/cli/kit/result/result.ts';

/** Neutral output settings. */
const plainOutput = {
  format: 'tsv',
  isFormatNamed: true,
  json: false,
  fields: null,
  columns: null,
  values: 'usual',
  jq: null,
  times: null,
  canPage: false,
  quiet: false,
  accessible: false,
  showPii: false,
  plotCharset: null,
  stdoutColour: 0,
  stderrColour: 0,
} as const satisfies OutputSettings;

interface Parcel {
  id: string;
  fee: number;
}

const columns: Column<Parcel>[] = [
  { field: 'id', header: 'Parcel', kind: 'id', value: ({ id }) => id },
  { field: 'fee', header: 'Fee', kind: 'money', wide: true, value: ({ fee }) => fee },
];

interface Options {
  terminal?: boolean;
  fields?: string[];
  columns?: number;
  colour?: 0 | 1;
  writes?: string[];
}

async function rendered(result: Result, format: Format, options: Options = {}): Promise<string[]> {
  const writes = options.writes ?? [];
  const context: RenderContext = {
    stdout: {
      isTerminal: options.terminal ?? false,
      columns: options.columns ?? null,
      rows: null,
      write: async (text) => void writes.push(text),
    },
    settings: {
      ...plainOutput,
      format,
      json: format === 'json',
      fields: options.fields ?? null,
      stdoutColour: options.colour ?? 0,
    },
    serviceNow: () => 0,
    filter: null,
  };
  await writeInFormat(result, context);
  return writes;
}

const two: Parcel[] = [
  { id: 'dlv_1', fee: 659 },
  { id: 'dlv_2', fee: 700 },
];

test('an empty list: a header in CSV, [] in JSON, nothing else', async () => {
  const empty = (format: Format) => rendered(listResult({ data: [], columns }), format);
  expect((await empty('csv')).join('')).toBe('id,fee_cents\n');
  expect((await empty('json')).join('')).toBe('[]\n');
  expect((await empty('table')).join('')).toBe('');
});

test('JSON is indented on a terminal', async () => {
  const text = (
    await rendered(listResult({ data: two.slice(0, 1), columns }), 'json', { terminal: true })
  ).join('');
  expect(text).toBe('[\n  {\n    "id": "dlv_1",\n    "fee": 659\n  }\n]\n');
});

test.each(['table', 'tsv', 'csv', 'ndjson', 'json'] satisfies Format[])(
  'a long list is written as %s while it is read',
  async (format) => {
    let made = 0;
    async function* many(): AsyncIterable<Parcel> {
      for (; made < 1000; made += 1) yield { id: `dlv_${made}`, fee: made };
    }
    const writes = await rendered(listResult({ data: many(), columns }), format);
    // A table has one layout for more rows than a page of the API.
    expect(writes.length).toBeGreaterThanOrEqual(format === 'table' ? 2 : 10);
    expect(writes.join('')).toContain('dlv_999');
  },
);

async function* happenings() {
  yield { type: 'status', status: 'delivered', note: '\u001b[31mhi' };
  yield { type: 'heartbeat', status: '', note: '' };
}

const watching = () =>
  streamResult(happenings(), ({ type, status, note }, { status: paint }) =>
    type === 'heartbeat' ? null : `${paint(status)} ${note}`,
  );

test('a stream uses its own colors', async () => {
  const [line] = await rendered(watching(), 'table', { colour: 1 });
  expect(line).toBe('\u001b[32mdelivered\u001b[39m hi\n');
  const inTerminal = { terminal: true, colour: 1 as const };
  expect(await rendered(watching(), 'tsv', inTerminal)).toEqual(['delivered hi\n']);
});

test('an id with control characters is cleaned', async () => {
  const id = 'bat_1\u001b[2J\u202e';
  const drawn = drawingResult({ data: { id }, id, rows: [], draw: () => '' });
  const listed = recordResult({ id, fee: 1 }, columns);
  for (const result of [drawn, listed])
    for (const terminal of [true, false])
      expect(await rendered(result, 'id', { terminal })).toEqual(['bat_1\n']);
});

test('if the format is only known afterwards, the error says what was done', async () => {
  const field = { field: 'name', header: 'Name', kind: 'text' as const, value: () => 'Soup' };
  const answer = recordResult({ id: 'str_1' }, [field]);
  const settings = { ...plainOutput, format: 'id' as const };
  const stdout = { isTerminal: false, columns: null, rows: null, write: async () => {} };
  const shown = (isWrite: boolean) =>
    writeInFormat(answer, { stdout, settings, serviceNow: () => 0, isWrite, filter: null });
  await expect(shown(true)).rejects.toThrow(
    'There is no id in this answer: choose another format. What was asked for is done all the same: str_1.',
  );
  await expect(shown(false)).rejects.toThrow(/choose another format\.$/);
});
