import type { Transport } from '../../../../src/contract/operation.ts';
import { orderLine, quotedRoute, type Sandbox, sandbox, storeLine } from '../../sandbox.ts';

/** Fields with texts from people, couriers and servers. */
const written =
  /^(name|.*_name|.*_notes|notes?|external_order_ref|reason|message|description|make|model|color|license_plate|.*_unit|items_description|body|note)$/;
/** Formula prefixes in spreadsheets, some behind stripped characters. */
const leads = [
  ...['=', '+', '-', '@', '\t=', '\r=', '\u001b[0m=', '\u200b=', '\u0085@', '\uff1d', '\n+', ' =', '\u00a0@'],
  ...['\u2060=', '\u00ad-'],
];
/**
 * Terminal control sequences: CSI, OSC with both terminators, DCS, C1, backspace, BEL, bidirectional overrides. Then
 * invisible characters, and a line break.
 */
const sequences =
  "cmd|' /C calc'!A0\u001b[2J\u001b]8;;https://evil.example\u0007x\u001b]8;;\u001b\\\u001b]0;t\u0007\u001bP1$q\u001b\\" +
  '\u009b31m\u009d0;t\u009c\u0008\u0007\u202eevil\u2066\u200f\r\u0000z\u200b\u2060\ufeff\u{e0041}\nforged';

/** The same service with hostile texts everywhere. */
export function hostile(transport: Transport): Transport {
  let count = 0;
  const spoilt = (key: string, value: unknown): unknown => {
    if (typeof value !== 'string' || !written.test(key)) return value;
    count += 1;
    return `${leads[count % leads.length]}${sequences}`;
  };
  const spoil = (json: string) => json && JSON.stringify(JSON.parse(json, spoilt));
  return async (request) => {
    const answer = await transport(request);
    const { stream } = answer;
    const body = spoil(answer.body);
    if (stream === undefined) return { ...answer, body };
    return { ...answer, body, stream: { ...stream, chunks: events(stream.chunks, spoil) } };
  };
}

/** An event stream with hostile data. */
async function* events(chunks: AsyncIterable<string>, spoil: (json: string) => string) {
  for await (const chunk of chunks)
    yield chunk.replace(/^(data: )(\{.*\})$/gm, (_, name: string, json: string) => name + spoil(json));
}

/** Every control sequence except newline and tab; bidirectional marks; invisible characters. */
export const obeyed =
  /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u;

const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/;
const number = /^[+-]?\d+(?:\.\d+)?$/;

/** Spreadsheet formulas in the cells of a file. */
export function formulasIn(text: string, format: 'csv' | 'tsv'): string[] {
  const cells = format === 'csv' ? cellsOf(text) : text.split(/[\t\n]/);
  return cells.filter((cell) => formula.test(cell) && !number.test(cell));
}

/** The cells of a CSV, unquoted. */
function cellsOf(csv: string): string[] {
  const cells = csv.match(/(?:"(?:[^"]|"")*"|[^,\n"]+)/g) ?? [];
  return cells.map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}

/** A service with records of each kind around an ended delivery, and a command line for each read. */
export async function readings(): Promise<{ box: Sandbox; lines: string[][] }> {
  const box = await sandbox();
  const idOf = async (...line: string[]) => String((await box.json(line)).id);
  const notes = ['--dropoff-notes', 'Ring twice, then wait at the gate of the yard'];
  const flags = ['--allow-duplicate-ref', '--ref', 'R-1', ...notes];
  const route = await quotedRoute(box, ...flags);
  const dispatched = JSON.stringify(await box.json(['dispatch', route, '--fastest', '--yes']));
  const delivery = /dlv_[0-9A-Z]+/.exec(dispatched)?.[0] ?? '';
  await box.json(['sandbox', 'advance', '--until', `${delivery}:delivered`]);
  await box.json(['deliveries', 'dispute', delivery, '--reason', 'One soup was missing']);
  const order = /ord_[0-9A-Z]+/.exec(JSON.stringify(await box.json(['routes', 'get', route])))?.[0] ?? '';
  const batch = String((await box.json([...orderLine, '--auto', ...flags])).batch_id);
  await box.json(['sandbox', 'advance', '--by', '5m']);
  const tried = /ord_[0-9A-Z]+/.exec(JSON.stringify(await box.json(['batches', 'get', batch])))?.[0] ?? '';
  const store = await idOf(...storeLine);
  const driver = await idOf('drivers', 'add', 'Sam Lee', '--phone', '+13125550133');
  const endpoint = await idOf('webhooks', 'create', 'http://127.0.0.1:9/hooks', '--description', 'Shop');
  await box.run(['webhooks', 'test', endpoint]);
  const event = (await box.run(['events', 'list', '-o', 'id', '--limit', '1'])).stdout.trim();
  return {
    box,
    lines: [
      ...[
        ['orders', 'list'],
        ['orders', 'get', order],
        ['orders', 'attempts', tried],
      ],
      ...[
        ['routes', 'list'],
        ['routes', 'get', route],
        ['quotes', 'list', route],
      ],
      ...[
        ['deliveries', 'list'],
        ['deliveries', 'get', delivery],
        ['deliveries', 'explain', delivery],
      ],
      ...[
        ['disputes', 'list'],
        ['disputes', 'get', delivery],
      ],
      ...[
        ['deliveries', 'watch', delivery],
        ['deliveries', 'wait', delivery, '--until', 'delivered'],
      ],
      ...[
        ['orders', 'wait', order],
        ['quotes', 'wait', route],
        ['batches', 'wait', batch, '--timeout', '1s'],
      ],
      ...[
        ['batches', 'list'],
        ['batches', 'get', batch],
        ['charges', 'list'],
        ['keys', 'list'],
        ['audit', 'list'],
        ['couriers', 'list'],
        ['drivers', 'list'],
        ['drivers', 'get', driver],
        ['whoami'],
        ['today'],
      ],
      ...[
        ['stores', 'list'],
        ['stores', 'get', store],
        ['sandbox', 'scenarios'],
      ],
      ...[
        ['sandbox', 'steps', delivery],
        ['events', 'list'],
        ['events', 'get', event],
      ],
      ...[
        ['webhooks', 'list'],
        ['webhooks', 'get', endpoint],
        ['webhooks', 'attempts', endpoint],
      ],
    ],
  };
}
