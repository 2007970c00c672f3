import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WireRequest } from '../../src/contract/operation.ts';
import { oneOf } from '../in-part.ts';
import { commands } from './commands-of-tree.ts';
import { type Json, type Make, type Run, recordsMade } from './every-record.ts';
import { errorOf, freshHome, jsonOf } from './harness.ts';
import { toolResult } from './mcp-session.ts';
import { orderFields, orderLine, storeLine } from './sandbox.ts';

/** The most that may be charged for what has a limit: $12.00 with a tip of $2.00. */
const limit = 1200;
const minute = 60_000;
const tip = ['--tip', '2'];
const auto = [...tip, '--auto', '--max-cost', '12'];
const phone = orderFields.dropoff_phone_number;

function to(address: string): string[] {
  return orderLine.with(orderLine.indexOf('--dropoff-address') + 1, address);
}

/** Naperville costs more than $12.00, and New York is too far for every courier. */
const [dear, far] = [to('1 S Washington St, Naperville, IL 60540'), to('350 5th Ave, New York, NY 10118')];

interface State {
  order: string;
  delivery?: string;
  route?: string;
  batch?: string;
  /** The most that was asked for it, in cents. */
  max?: number;
}

/** Makes an order in each state that it, its delivery, its route or its batch can have. */
const makeStates: Make<Record<string, State>> = async (json, _, move) => {
  const make = async (...argv: string[]) => jsonOf(await json(...argv));
  const newOrder = async (...flags: string[]) => String((await make(...orderLine, ...flags)).id);
  const stored = async (...flags: string[]) => {
    const { id, order_id } = await make('deliveries', 'create', ...orderLine.slice(2), ...flags);
    return { delivery: String(id), order: String(order_id) };
  };
  const under = (...flags: string[]) => stored('--initiate', ...flags);
  const stepped = async (...statuses: string[]) => {
    const made = await under();
    for (const status of statuses) await json('sandbox', 'step', made.delivery, status);
    return made;
  };
  const routed = async (...flags: string[]) => {
    const order = await newOrder(...flags);
    return { order, route: String((await make('routes', 'create', order)).id) };
  };
  const inBatch = async (line: readonly string[], window = '0s', ...flags: string[]): Promise<State> => {
    const batch = String((await make(...line, ...auto, '--retry-window', window, ...flags)).batch_id);
    move(minute);
    await json('sandbox', 'advance', '--by', '1m');
    const [order] = Object(jsonOf(await json('batches', 'get', batch)).orders);
    const delivery = order.delivery_id === null ? {} : { delivery: String(order.delivery_id) };
    return { batch, order: String(order.order_id), ...delivery, max: limit };
  };
  const ended = async (status: string) => {
    const made = await inBatch(orderLine);
    await json('sandbox', 'step', String(made.delivery), 'driver_assigned');
    await json('sandbox', 'step', String(made.delivery), status);
    return made;
  };
  const canceled = await stepped('driver_assigned', 'failed');
  await json('deliveries', 'cancel', (await under()).delivery, '--yes');
  const states: Record<string, State> = {
    'failed at once': await underFailing(json),
    'failed of a batch': await ended('failed'),
    'canceled by the courier, of a batch': await ended('provider_canceled'),
    'returned of a batch': await returned(json, await inBatch(orderLine)),
    'above its limit': await inBatch(dear),
    'too far': await inBatch(far),
    failed: canceled,
    'canceled by the courier': await stepped('driver_assigned', 'provider_canceled'),
    'on its way back': await stepped('pickup_complete', 'enroute_to_return'),
    returned: await stepped('pickup_complete', 'enroute_to_return', 'returned'),
    delivered: await stepped('delivered'),
    late: await under(),
    open: { order: await newOrder(...tip) },
    routed: await routed(),
    stored: await stored(...tip),
  };
  const quoted = await routed(...tip);
  await json('routes', 'quote', quoted.route, '--wait');
  const closed = await newOrder();
  await json('orders', 'cancel', closed, '--yes');
  const disputed = await stepped('delivered');
  await json('deliveries', 'dispute', disputed.delivery, '--reason', 'Never came');
  move(40 * minute);
  return {
    ...{ ...states, quoted, closed: { order: closed }, disputed },
    'waiting in a batch': await inBatch(orderLine, '1h', '--simulate', 'no_quotes'),
  };
};

async function underFailing(json: Json): Promise<State> {
  const line = ['orders', 'create', ...orderLine.slice(2), '--simulate', 'payment_declined'];
  const order = String(jsonOf(await json(...line)).id);
  const route = String(jsonOf(await json('routes', 'create', order)).id);
  await json('routes', 'quote', route, '--wait');
  await json('dispatch', route, '--cheapest').catch(() => '');
  const { delivery_id } = jsonOf(await json('orders', 'get', order));
  return { order, delivery: String(delivery_id) };
}

async function returned(json: Json, state: State): Promise<State> {
  for (const status of ['pickup_complete', 'enroute_to_return', 'returned'])
    await json('sandbox', 'step', String(state.delivery), status);
  return state;
}

const { ids: states, onCopy } = await recordsMade(makeStates);

/** The commands that are run for each state; a line names what it spends at most with `--max-cost`. */
function linesFor({ order, delivery, route, batch }: State): string[][] {
  return [
    ...[
      ['orders', 'get', order],
      ['orders', 'attempts', order],
      ['orders', 'wait', order, '--timeout', '1s'],
    ],
    ['ship', order, '--cheapest', '--max-cost', '5'],
    ['ship', order, '--cheapest', '--max-cost', '12'],
    ...(route === undefined
      ? []
      : [
          ['routes', 'get', route],
          ['quotes', 'list', route],
          ['dispatch', route, '--cheapest', '--max-cost', '5'],
        ]),
    ...(batch === undefined
      ? []
      : [
          ['batches', 'get', batch],
          ['batches', 'wait', batch, '--timeout', '1s'],
        ]),
    ...(delivery === undefined
      ? []
      : [
          ['deliveries', 'explain', delivery],
          ['deliveries', 'wait', delivery, '--timeout', '1s'],
          ['deliveries', 'initiate', delivery, '--max-cost', '5'],
          ['deliveries', 'retry', delivery, '--max-cost', '5'],
          ['deliveries', 'cancel', delivery],
          ['deliveries', 'edit', delivery, '--dropoff-notes', 'Ring twice'],
          ['deliveries', 'assign', delivery, '--driver', 'nobody'],
          ['deliveries', 'dispute', delivery, '--reason', 'Never came'],
          ['deliveries', 'get', delivery],
        ]),
  ];
}

/** Lines that are about no state: the first shipments of a day. */
const others: string[][] = [
  ['today'],
  ['deliveries', 'list'],
  ['orders', 'list'],
  ['batches', 'list'],
  ['whoami'],
  ['ship', ...orderLine.slice(2), ...tip, '--cheapest', '--max-cost', '5'],
  ['ship', ...orderLine.slice(2), ...tip, '--cheapest', '--max-cost', '9', '--simulate', 'payment_declined'],
  ['ship', ...orderLine.slice(2), ...tip, '--cheapest', '--max-cost', '9', '--simulate', 'no_quotes'],
  ['ship', ...far.slice(2), ...tip, '--cheapest', '--max-cost', '9'],
  ['deliveries', 'create', ...orderLine.slice(2), ...tip, '--initiate', '--max-cost', '5'],
  [
    ...['deliveries', 'create', ...orderLine.slice(2), ...tip, '--initiate', '--max-cost', '9'],
    ...['--simulate', 'payment_declined'],
  ],
  [...dear, ...auto, '--retry-window', '0s', '--wait'],
  [...orderLine, ...auto, '--retry-window', '0s', '--wait', '--simulate', 'no_capacity'],
  ['deliveries', 'quote', ...orderLine.slice(2, 4), ...orderLine.slice(8, 10)],
  ['stores', 'list'],
  ['webhooks', 'list'],
  ['charges', 'list'],
];

/** The same command again, with its key, after what others have done with `ID`: what its first answer has made. */
const again = (line: readonly string[], ...meanwhile: string[][]) => {
  const keyed = [...line, '--idempotency-key', 'again'];
  return { line: keyed, earlier: [keyed, ...meanwhile] };
};
const stepTo = (status: string) => ['sandbox', 'step', 'ID', status];
const taken = [stepTo('driver_assigned'), stepTo('provider_canceled')];
const shipping = ['ship', ...orderLine.slice(2), ...tip, '--cheapest', '--max-cost', '9'];
const sending = ['deliveries', 'create', ...orderLine.slice(2), ...tip];
const initiating = [...sending, '--initiate', '--max-cost', '9'];
const stateIds = ({ order, delivery = '', route = '' }: State) => ({ order, delivery, route });
const [open, routed, quoted, stored, failed, delivered, canceled] = [
  ...[states.open, states.routed, states.quoted, states.stored, states.failed, states.delivered],
  ...[states['canceled by the courier']],
].map((state) => stateIds(state ?? { order: '' }));
const routing = ['routes', 'create', String(open?.order)];
const dispatching = ['dispatch', String(quoted?.route), '--cheapest', '--max-cost', '12'];
const retrying = ['deliveries', 'retry', String(failed?.delivery), '--max-cost', '12'];

/** Commands after others: the same command once more, or one that finds what an earlier run has done. */
const repeats: { line: string[]; earlier: string[][] }[] = [
  again(orderLine, ['routes', 'create', 'ID']),
  again(orderLine, ['ship', 'ID', '--cheapest', '--max-cost', '9']),
  again(orderLine, ['orders', 'cancel', 'ID', '--yes']),
  again([...orderLine, ...auto], ['sandbox', 'advance', '--by', '1m']),
  again(routing, ['routes', 'quote', 'ID', '--wait'], ['dispatch', 'ID', '--cheapest']),
  again(routing, ['routes', 'delete', 'ID']),
  again(
    ['routes', 'quote', String(routed?.route)],
    ['quotes', 'list', String(routed?.route), '--wait'],
    [...['dispatch', String(routed?.route), '--cheapest']],
  ),
  ...[[stepTo('delivered')], taken, [['sandbox', 'advance', '--by', '1h']]].map((meanwhile) => {
    const { line, earlier } = again(dispatching, ...meanwhile);
    return { line, earlier: [['routes', 'quote', String(quoted?.route), '--wait'], ...earlier] };
  }),
  again(shipping, stepTo('delivered')),
  again(shipping, ['deliveries', 'cancel', 'ID', '--yes']),
  ...[
    ['--max-cost', '8.40'],
    ['--max-cost', '9', '--tip', '1'],
  ].map((terms) => ({
    line: [...shipping.slice(0, -2), ...terms, '--idempotency-key', 'again'],
    earlier: again(shipping).earlier,
  })),
  { line: [...shipping, '--simulate', 'payment_declined'], earlier: [] },
  again(initiating, stepTo('delivered')),
  again(initiating, ...taken),
  again(sending, ['deliveries', 'initiate', 'ID']),
  again(sending, ['deliveries', 'cancel', 'ID', '--yes']),
  again(['deliveries', 'initiate', String(stored?.delivery)], stepTo('delivered')),
  again(retrying, stepTo('delivered')),
  again(retrying, ...taken),
  again(
    ['deliveries', 'dispute', String(delivered?.delivery), '--reason', 'Never came'],
    [...['disputes', 'resolve', 'ID', '--outcome', 'refunded']],
  ),
  // The courier that canceled it is the cheapest, and the others cost more.
  ...[
    '--max-cost 7.00',
    '--max-cost 7.00 --not metrobike',
    '--max-cost 5',
    '--price',
    '--price --not metrobike',
    '--price --max-cost 5',
  ].map((flags) => ({
    line: ['deliveries', 'retry', String(canceled?.delivery), ...flags.split(' ')],
    earlier: [],
  })),
  { line: ['deliveries', 'retry', String(delivered?.delivery), '--price'], earlier: [] },
  again(['webhooks', 'create', 'https://shop.example/hooks'], ['webhooks', 'delete', 'ID', '--yes']),
  again(storeLine, ['stores', 'delete', 'ID', '--yes']),
];

/** The ID of the delivery that an answer has made, or else of its record. */
function madeIn(stdout: string): string {
  const { id, batch_id, deliveries } = jsonOf(stdout);
  return String((Array.isArray(deliveries) ? deliveries[0]?.id : null) ?? id ?? batch_id);
}

/** Runs commands; `ID` is what the last one before has made that does not name it itself. */
async function runEarlier(run: Run, lines: readonly (readonly string[])[]): Promise<void> {
  let made = '';
  for (const line of lines) {
    const words = line.map((word) => (word === 'ID' ? made : word));
    const { stdout, stderr, exit } = await run([...words, '--json']);
    expect([words, exit, stderr]).toEqual([words, 0, stderr]);
    if (!line.includes('ID')) made = madeIn(stdout);
  }
}

/** A suggested command, and those that come before it. */
interface Step {
  words: string[];
  before: string[][];
  isLater?: boolean;
}

/** Every `next` in a value. One whose `when` begins with "then" comes after the one before it. */
function nextIn(value: unknown): Step[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap(nextIn).map((step, index, all) => {
      const { words } = all[index - 1] ?? { words: [] };
      return step.isLater === true ? { ...step, before: [words] } : step;
    });
  const { args, command, when, placeholders } = value as Record<string, unknown>;
  const isStep = Array.isArray(args) && typeof command === 'string';
  if (isStep) expect(placeholders ?? [], command).toEqual(openWords(args));
  const own = isStep
    ? [{ words: args.map(String), before: [], isLater: String(when).startsWith('then ') }]
    : [];
  return [...own, ...Object.values(value).flatMap(nextIn)];
}

/** The commands in texts for people: between backticks, after a colon, at the beginning of a line, or after a tab. */
function commandsIn(text: string): Step[] {
  const found = text.matchAll(
    /(?:`|: |^ *|\t)waybill ((?:'[^'\n]*'|[^`\n\t,('](?! {2}))*(?:'[^'\n]*'|[^`\n\t,(' ]))( +\(then )?/gm,
  );
  const all = [...found].map(([, said = '', then]) => ({
    words: (said.replace(/[.,]$/, '').match(/'[^']*'|\S+/g) ?? []).map((word) =>
      word.replace(/^'(.*)'$/, '$1'),
    ),
    then,
  }));
  return all.map(({ words, then }, index) => {
    const earlier = then === undefined ? undefined : all[index - 1];
    return { words, before: earlier === undefined ? [] : [earlier.words] };
  });
}

function jsonLinesIn(text: string): unknown[] {
  const parse = (each: string): unknown => {
    try {
      return [JSON.parse(each)];
    } catch {
      return [];
    }
  };
  const whole = parse(text);
  return Array.isArray(whole) && whole.length > 0 ? whole : text.split('\n').map(parse);
}

/** The words that stand for values which only the user knows. */
const openWords = (words: readonly string[]) => words.filter((word) => /^[A-Z][A-Z_-]+$/.test(word));

/** A command that has a delivery dispatched. */
function isDispatching(words: readonly string[]): boolean {
  const said = words.join(' ');
  const isSending =
    /^(?:ship|dispatch|deliveries (?:retry|initiate)) /.test(said) && !said.endsWith(' --price');
  return isSending || /--(?:initiate|auto)(?: |$)/.test(said);
}

/** A maximum, unless it asks which quote to take. */
function isLimited(words: readonly string[]): boolean {
  const selects = /^(?:ship|dispatch) /.test(words.join(' '))
    ? words.some((word) => /^--(?:cheapest|fastest|provider|driver|quote)$/.test(word))
    : true;
  return !selects || words.includes('--max-cost');
}

/** What is charged in all, in cents. */
async function charged(run: Run): Promise<number> {
  const { stdout } = await run(['charges', 'list', '--all', '--json']);
  const charges: { amount: number }[] = JSON.parse(stdout);
  return charges.reduce((sum, { amount }) => sum + amount, 0);
}

/** Runs a command that may be endless. */
async function runOnce(run: Run, words: readonly string[]) {
  const controller = new AbortController();
  const home = freshHome();
  writeFileSync(join(home, 'orders.csv'), '');
  const stop = () => queueMicrotask(() => controller.abort());
  const terminal = { tty: true, env: { CI: '1', NO_COLOR: '1' } };
  return run(words, { home, signal: controller.signal, written: stop, ...terminal });
}

/** A command that undoes something without a question: a look at it comes first. */
function isUndoingAtOnce(words: readonly string[]): boolean {
  const said = words.join(' ');
  const found = commands.find((each) => said.startsWith(each.words));
  return /^\w+ (?:delete|cancel|revoke|remove|reset)\b/.test(said) && found?.command.confirms !== true;
}

const known = commands.map(({ words }) => words);

/** Has a value asked for in each place of a placeholder, and nothing done without it. */
async function checkOpenStep(run: Run, step: readonly string[]): Promise<void> {
  const said = step.join(' ');
  const { stderr, exit, sent } = await runOnce(run, step);
  expect([said, exit, stderr]).toEqual([said, 2, expect.stringMatching(/in place of|stands for a value/)]);
  expect([said, sent]).toEqual([said, []]);
}

async function checkStep(
  run: Run,
  step: readonly string[],
  { line, max }: { line: readonly string[]; max: number | null },
): Promise<void> {
  const said = step.join(' ');
  expect(known.some((words) => said.startsWith(words)) || said.startsWith('--'), said).toBe(true);
  const before = max === null ? 0 : await charged(run);
  const { stdout, stderr, exit, sent } = await runOnce(run, step);
  // A terminal asks for what a command without arguments needs, and for the people of a quote's places.
  const isAsked =
    /Confirmation required|^Error: Missing: --(?:outcome|pickup-name)/.test(stderr) ||
    (known.includes(said) && /^Error: Missing: /.test(stderr));
  expect([said, exit === 2 && !isAsked ? stderr : 'understood']).toEqual([said, 'understood']);
  // Only the price may be in its way: a missing record or another status means that it never applied.
  expect([said, exit]).not.toEqual([said, 5]);
  if (exit === 6) expect([said, stderr]).toEqual([said, expect.stringMatching(/--max-cost|costs at least/)]);
  if (isDispatching(step)) expect([said, isLimited(step)]).toEqual([said, true]);
  if (max !== null) expect([said, (await charged(run)) - before <= max]).toEqual([said, true]);
  const isUndoing = ({ method, path }: WireRequest) =>
    method === 'DELETE' || (method === 'POST' && /\/cancel$/.test(path));
  // What the line itself would undo may be offered with what that costs.
  const isOwn = said.startsWith(`${line.join(' ')} --yes --max-fee `);
  expect([said, isOwn ? [] : sent.filter(isUndoing)]).toEqual([said, []]);
  expect([said, isUndoingAtOnce(step)]).toEqual([said, false]);
  expect([said, step.filter((word) => word === '--show-pii' || word === '--raw')]).toEqual([said, []]);
  // The example of a question has the phone of the tests.
  if (!step.includes('--json') && !isAsked)
    expect([said, (stdout + stderr).includes(phone)]).toEqual([said, false]);
}

/** The maximum of a line, or else of the state that it is about, in cents. */
function maxOf(line: readonly string[], { max }: Partial<State>): number | null {
  const typed = line.indexOf('--max-cost');
  return typed === -1 ? (max ?? null) : Math.round(Number(line[typed + 1]) * 100);
}

const lines: { name: string; line: string[]; max: number | null; earlier?: string[][] }[] = [
  // Each line in half of the states, and in each state half of the lines.
  ...Object.entries(states).flatMap(([name, state], place) =>
    linesFor(state)
      .filter(oneOf(2, place % 2))
      .map((line) => ({ name, line, max: maxOf(line, state) })),
  ),
  ...others.map((line) => ({ name: 'no record', line, max: maxOf(line, {}) })),
  ...repeats.map(({ line, earlier }) => ({
    name: `after ${earlier.map((words) => words.slice(0, 4).join(' ')).join(', ')}`,
    ...{ line, earlier, max: maxOf(line, {}) },
  })),
];

/** The most that may be charged for the record that a step is about. */
function maxOfStep(step: readonly string[], max: number | null): number | null {
  if (max !== null) return max;
  const about = Object.values(states).find(({ order, delivery, batch }) =>
    [order, delivery, batch].some((id) => id !== undefined && step.includes(id)),
  );
  return about?.max ?? null;
}

test('a dispatch again with its key has the same delivery, also once its quotes have expired', async () => {
  const [line] = repeats.filter(({ line: [verb] }) => verb === 'dispatch');
  const driver = ['dispatch', String(routed?.route), '--driver'];
  await onCopy(async (run) => {
    const { id } = jsonOf((await run(['drivers', 'add', 'Ana', '--phone', '+13125550134', '--json'])).stdout);
    await run(['routes', 'quote', String(quoted?.route), '--wait']);
    for (const words of [line?.line ?? [], [...driver, String(id), '--idempotency-key', 'own']]) {
      const first = await run([...words, '--json']);
      await run(['sandbox', 'advance', '--by', '1h']);
      const second = await run([...words, '--json']);
      expect([words, first.exit, second.exit, second.stderr]).toEqual([words, 0, 0, second.stderr]);
      expect(madeIn(second.stdout)).toBe(madeIn(first.stdout));
    }
  });
});

/** Refusals that only the price or a courier brings, which a dry run does not ask. */
const unasked = ['above_max_cost', 'cost_above_limit', 'no_quotes', 'delivery_failed'];
const trials = lines.filter(
  ({ line: [verb = '', noun = ''], name }) =>
    Object.hasOwn(states, name) &&
    (/^(?:ship|dispatch)$/.test(verb) || /^(?:initiate|retry|cancel|edit|assign|dispute)$/.test(noun)),
);

test.each(trials)(
  '$name: a dry run of $line changes nothing, and ends as the command itself',
  async (trial) => {
    const line = [...trial.line, '--yes', '--json'];
    const real = await onCopy((run) => run(line));
    const code = real.exit === 0 ? '' : String(errorOf(real.stderr).code);
    const dry = await onCopy((run) => run([...line, '--dry-run']));
    const exits = unasked.includes(code) ? [0, real.exit] : [real.exit];
    expect([dry.stderr, code, exits]).toEqual([dry.stderr, code, expect.arrayContaining([dry.exit])]);
    expect(dry.sent.filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);

const tried = new Set<string>();

describe.each(lines.map((each, place) => ({ ...each, place })))(
  '$name: $line',
  ({ line, max, place, earlier }) => {
    /** The steps that the line suggests on a copy, with JSON or in text. */
    async function stepsOn(run: Run, isJson: boolean): Promise<Step[]> {
      await runEarlier(run, earlier ?? []);
      const { stdout, stderr, exit } = await run(isJson ? [...line, '--json'] : line);
      const found = isJson
        ? nextIn([jsonLinesIn(stdout), jsonLinesIn(stderr)])
        : commandsIn(`${stdout}\n${stderr}`);
      // What was refused is refused again.
      if (exit === 6) expect(found.map(({ words }) => words)).not.toContainEqual(line);
      // What was excluded stays so.
      const kept = line.slice(line.indexOf('--not'), line.indexOf('--not') + 2);
      for (const { words } of line.includes('--not') ? found : [])
        if (words[1] === line[1]) expect(words).toEqual(expect.arrayContaining(kept));
      return found;
    }

    const forms: [string, boolean][] = [
      ['in JSON', true],
      ['in text', false],
    ];

    test.each(forms.filter(earlier === undefined ? oneOf(2, place % 2) : () => true))(
      'every next command %s is understood, and spends, shows and erases no more than was asked',
      async (_, isJson) => {
        // Each step has a copy of its own, on which the line is run before it: what it makes has other IDs there.
        const untried = (steps: readonly Step[], from: number) =>
          steps.findIndex(({ words }, at) => at >= from && !tried.has(`${words.join(' ')} ${max}`));
        for (let index = 0; index !== -1; ) {
          index = await onCopy(async (run) => {
            const found = await stepsOn(run, isJson);
            const at = untried(found, index);
            const step = found[at];
            if (step === undefined) return -1;
            const { words, before } = step;
            tried.add(`${words.join(' ')} ${max}`);
            for (const each of before) await runOnce(run, each);
            if (openWords(words).length > 0) await checkOpenStep(run, words);
            const filled = words.map((word) => (word === 'DOLLARS' ? '12' : word));
            const isCapped = filled.some((word, place) => word !== words[place]);
            if (openWords(filled).length === 0)
              await checkStep(run, filled, { line, max: maxOfStep(filled, isCapped ? (max ?? limit) : max) });
            return untried(found, at + 1);
          });
        }
      },
    );
  },
);

/** What a courier and the tip cost at least, in cents. */
const least = 847;

type ToolCall = [name: string, given: object, max: number];

/** What an assistant does with a delivery, with the most that it was told to spend, in cents. */
const toolCalls = (delivery: string): ToolCall[] => [
  ['get_delivery', { delivery }, 0],
  ['explain_delivery', { delivery }, 0],
  ['wait_for_delivery', { delivery, timeout_seconds: 1 }, 0],
  ['preview_cancellation', { delivery }, 0],
  ['cancel_delivery', { delivery, agreed_fee: 0 }, 0],
  ['cancel_delivery', { delivery, agreed_fee: 1 }, 0],
];

const otherToolCalls: ToolCall[] = [
  ['list_late_deliveries', {}, 0],
  ['ship_delivery', { ...orderFields, tip: 200, max_cost: 500 }, 500],
  ['ship_delivery', { ...orderFields, tip: 200, max_cost: 900 }, 900],
];

test.each([
  ...Object.entries(states).flatMap(([name, { delivery }], place) =>
    delivery === undefined
      ? []
      : toolCalls(delivery)
          .filter(oneOf(2, place % 2))
          .map((call) => ({ name, call })),
  ),
  ...otherToolCalls.map((call) => ({ name: 'no record', call })),
])(
  '$name: a tool says no command, and spends no more than it was told: $call',
  async ({ call: [tool, given, max] }) => {
    await onCopy(async (run) => {
      const before = await charged(run);
      const answer = JSON.stringify(await toolResult(run, tool, given));
      expect(nextIn(JSON.parse(answer)), answer).toEqual([]);
      expect(answer).not.toMatch(/waybill [a-z]|--[a-z]/);
      const spent = (await charged(run)) - before;
      expect(spent, answer).toBeLessThanOrEqual(max);
      if (max >= least) expect(spent, answer).toBeGreaterThan(0);
    });
  },
);

test('steps were found in each state', () => {
  expect(tried.size).toBeGreaterThan(60);
});
