import type { Transport } from '../../../src/contract/wire.ts';
import { commands } from '../commands-of-tree.ts';
import { quotedRoute, type Sandbox, sandbox } from '../sandbox.ts';

/** Fields that say what people, couriers and servers wrote. */
const written =
  /^(name|.*_name|.*_notes|notes?|external_order_ref|reason|message|description|make|model|color|license_plate|.*_unit|items_description|body|note)$/;
/** What a spreadsheet takes for a formula, some behind what is stripped. */
const leads = ['=', '+', '-', '@', '\t=', '\r=', '\u001b[0m=', '\u200b=', '\u0085@', '\uff1d', '\n+'];
/** What a terminal obeys: CSI, OSC with both ends, DCS, C1, a backspace, bells, overrides of direction. */
const sequences =
  "cmd|' /C calc'!A0\u001b[2J\u001b]8;;https://evil.example\u0007x\u001b]8;;\u001b\\\u001b]0;t\u0007\u001bP1$q\u001b\\" +
  '\u009b31m\u009d0;t\u009c\u0008\u0007\u202eevil\u2066\u200f\r\u0000z';

/** The same service, all of whose texts of people are hostile. */
export function hostile(transport: Transport): Transport {
  let count = 0;
  const spoilt = (key: string, value: unknown): unknown => {
    if (typeof value !== 'string' || !written.test(key)) return value;
    count += 1;
    return `${leads[count % leads.length]}${sequences}`;
  };
  return async (request) => {
    const answer = await transport(request);
    return { ...answer, body: answer.body && JSON.stringify(JSON.parse(answer.body, spoilt)) };
  };
}

/** What a line cannot be written as, or does not end by itself. */
const apart = ['listen', 'events tail', 'deliveries wait'];

/** A line for each command that reads records: of one delivery that has ended, and of all around it. */
export async function readingLines(): Promise<{ box: Sandbox; lines: string[][] }> {
  const box = await sandbox();
  const route = await quotedRoute(box, '--ref', 'R-1', '--dropoff-notes', 'Ring twice, then wait at the gate');
  const dispatched = await box.json(['dispatch', route, '--fastest', '--yes']);
  const batch = await box.json(['batches', 'list']).catch(() => null);
  const delivery = /dlv_[0-9A-Z]+/.exec(JSON.stringify(dispatched))?.[0] ?? '';
  await box.json(['sandbox', 'advance', '--until', `${delivery}:delivered`]);
  const order = /ord_[0-9A-Z]+/.exec(JSON.stringify(await box.json(['routes', 'get', route])))?.[0] ?? '';
  return { box, lines: linesOf({ route, delivery, order, batch: String(batch?.id) }) };
}

function linesOf({ route, delivery, order }: Record<'route' | 'delivery' | 'order' | 'batch', string>) {
  return [
    ['orders', 'list'],
    ['orders', 'get', order],
    ['routes', 'list'],
    ['routes', 'get', route],
    ['deliveries', 'list'],
    ['deliveries', 'get', delivery],
    ['deliveries', 'explain', delivery],
    ['deliveries', 'watch', delivery],
    ['track', delivery],
  ];
}

/** The commands that read and have no line. */
export function withoutLine(lines: readonly string[][]): string[] {
  const typed = lines.map((line) => line.join(' '));
  return commands
    .filter(({ command, words }) => command.effect === 'read' && !apart.includes(words))
    .map(({ words }) => words)
    .filter((words) => !typed.some((line) => `${line} `.startsWith(`${words} `)));
}
