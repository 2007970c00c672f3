import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Terminal } from '@xterm/headless';
import { expect, test } from 'vitest';
import { oneOf } from '../in-part.ts';
import { type InTerminal, inTerminal } from './pseudo-terminal.ts';
import { freshHome, type Home, inProcess, script } from './run.ts';

const enter = '\r';
const down = '\u001b[B';
const esc = '\u001b';

interface Shown extends InTerminal {
  /** Waits for a prompt after the last typed text, then types. */
  answer(question: RegExp, keys: string): Promise<void>;
  /** The lines on the screen. */
  lines(): string[];
  resize(columns: number): void;
}

/** Runs the built program in a terminal with a screen. */
function onScreen(home: Home, argv: readonly string[], cols = 100): Shown {
  const size = { cols, rows: 60 };
  const screen = new Terminal({ ...size, allowProposedApi: true });
  const seen = inTerminal(home, argv, { ...size, env: { NO_COLOR: '1' } });
  const { terminal, shown, type } = seen;
  terminal.onData((data) => screen.write(data));
  let typed = 0;
  return {
    ...seen,
    answer: async (question, keys) => {
      await expect.poll(() => shown().slice(typed), { interval: 15 }).toMatch(question);
      typed = shown().length;
      type(keys);
    },
    lines: () => {
      const { active } = screen.buffer;
      const all = Array.from({ length: active.length }, (_, at) =>
        active.getLine(at)?.translateToString(true),
      );
      return all.map((line) => line ?? '');
    },
    resize: (columns) => {
      terminal.resize(columns, size.rows);
      screen.resize(columns, size.rows);
    },
  };
}

/** Checks that the cursor is visible again. */
function expectCursor({ shown }: Shown): void {
  expect(shown().lastIndexOf('\u001b[?25h')).toBeGreaterThanOrEqual(shown().lastIndexOf('\u001b[?25l'));
}

const fields: [RegExp, string][] = [
  [/Pickup name/, 'Grill'],
  [/Pickup phone/, '+13125550101'],
  [/Dropoff address/, '233 S Wacker Dr, Chicago, IL 60606'],
  [/Dropoff name/, 'Joe Diner'],
  [/Dropoff phone/, '+13125550142'],
  [/What is it/, 'Soup:2'],
  [/Another item/, ''],
];
const address = '43 E Ohio St, Chicago, IL 60611';

async function deliveries(home: Home): Promise<unknown[]> {
  return JSON.parse((await inProcess(home, 'deliveries', 'list', '--json')).stdout);
}

test('forward and back through the five steps, with a resize; the script does the same again', async () => {
  const home = freshHome();
  await inProcess(home, 'sandbox', 'clock', 'scaled', '--rate', '10');
  const seen = onScreen(home, ['new', '--emit-script', 'again.sh']);
  const { answer, lines, resize } = seen;
  await answer(/What would you like to send/, enter);
  await answer(/Pickup address/, `${address}${enter}`);
  await answer(/Pickup name/, esc);
  await answer(/Pickup address.*43 E Ohio/, enter);
  for (const [question, typed] of fields) await answer(question, `${typed}${enter}`);
  await answer(/Create this order/, enter);
  await answer(/Continue: create a route/, enter);
  await answer(/Go back/, esc);
  await answer(/Continue: create a route/, enter);
  await answer(/Go back/, enter);
  await answer(/Choose a quote/, '');
  const open = () => lines().slice(lines().findLastIndex((line) => line.startsWith('? Choose a quote')));
  for (const columns of [40, 120]) {
    resize(columns);
    const whole = columns === 120 ? /^❯ poolride.* left$/m : /^❯ poolride[^\n]{20,31}\n.* left$/m;
    await expect.poll(() => open().join('\n')).toMatch(whole);
    expect(open().join('').replace(/\s+/g, ' ')).toMatch(
      /^\? Choose a quote.*❯ poolride, \$6\.47.*metrobike, .*swiftly, .*Request new quotes Leave it for later Go back ?↑↓ navigate • ⏎ select ?$/,
    );
  }
  const left = () =>
    lines()
      .join('\n')
      .match(/poolride.*?, (\d+:\d\d) left/g)
      ?.at(-1);
  const before = left();
  await expect.poll(left).not.toBe(before);
  await answer(/left/, enter);
  await answer(/Dispatch it/, enter);
  expect(await seen.ended).toEqual({ exit: 0, signal: 0 });
  expectCursor(seen);
  expect(seen.shown()).toMatch(/Dispatched to poolride for \$6\.47/);
  expect(readdirSync(join(home.folder, '.local', 'share', 'waybill', 'new'))).toEqual([]);
  const file = join(home.folder, 'again.sh');
  expect(statSync(file).mode & 0o777).toBe(0o700);
  expect(readFileSync(file, 'utf8')).toMatch(/^#!\/bin\/sh\n/);
  const again = await script(home, 'sh ./again.sh');
  expect([again.exit, again.stderr]).toEqual([0, expect.stringContaining('Dispatched to poolride')]);
  expect(await deliveries(home)).toHaveLength(2);
});

const signals = { SIGINT: 2, SIGTERM: 15 } as const;

interface Leaving {
  argv: string[];
  to: (seen: Shown) => Promise<void>;
  by?: keyof typeof signals;
}

test('interrupted at every step, by Ctrl+C, a closed stdin and a signal, and resumed', async () => {
  const home = freshHome();
  const left = async ({ argv, to, by = 'SIGINT' }: Leaving) => {
    const seen = onScreen(home, argv);
    await to(seen);
    if (by === 'SIGTERM') seen.terminal.kill(by);
    expect(await seen.ended).toMatchObject({ signal: signals[by] });
    const word = by === 'SIGINT' ? 'Interrupted' : 'Terminated';
    expect(seen.shown().replace(/\s+/g, ' ')).toMatch(
      new RegExp(`${word}\\. .*Continue with: \`waybill new --resume\`\\.`),
    );
    expectCursor(seen);
  };
  const typing = async ({ answer }: Shown) => {
    await answer(/What would you like to send/, enter);
    await answer(/Pickup address/, `${address}${enter}`);
    await answer(/Pickup name/, '\u0003');
  };
  await left({ argv: [], to: typing });
  const route = async ({ answer }: Shown) => {
    await answer(/Continue the unfinished order/, enter);
    for (const [question, typed] of fields) await answer(question, `${typed}${enter}`);
    await answer(/Create this order/, enter);
    await answer(/Continue: create a route/, enter);
    await answer(/Go back/, '\u0004');
  };
  await left({ argv: ['--resume'], to: route });
  const waiting = async ({ answer }: Shown) => {
    await answer(/Go back/, enter);
    await answer(/Waiting for the quotes/, '\u0003');
  };
  // During a wait, stdin belongs to the shell: only a signal ends it.
  await left({ argv: ['--resume'], to: waiting });
  await inProcess(home, 'sandbox', 'advance', '--by', '5s');
  const choice = (key: string) => (seen: Shown) => seen.answer(/Choose a quote[\s\S]*Go back/, key);
  await left({ argv: ['new', '--resume'], to: choice(''), by: 'SIGTERM' });
  const dispatch = async (seen: Shown) => {
    await choice(enter)(seen);
    await seen.answer(/Dispatch it/, '\u0004');
  };
  await left({ argv: ['new', '--resume'], to: dispatch });
  const seen = onScreen(home, ['--resume']);
  await seen.answer(/Dispatch it/, enter);
  expect(await seen.ended).toEqual({ exit: 0, signal: 0 });
  expect(await deliveries(home)).toHaveLength(1);
  expect(JSON.parse((await inProcess(home, 'orders', 'list', '--json')).stdout)).toHaveLength(1);
});

test('accessible mode: numbered lists, nothing is redrawn, back by a number and by a character', async () => {
  const home = freshHome({ ACCESSIBLE: '1' });
  const seen = onScreen(home, ['new']);
  const { answer } = seen;
  await answer(/1\. Create a new order[\s\S]*Number:/, `1${enter}`);
  await answer(/Pickup address/, `${address}${enter}`);
  await answer(/Pickup name/, `<${enter}`);
  await answer(/Pickup address.*\[43 E Ohio St.*\]/, enter);
  for (const [question, typed] of fields) await answer(question, `${typed}${enter}`);
  await answer(/1\. Create order[\s\S]*0\. Go back[\s\S]*Number:/, `9${enter}`);
  await answer(/Create this order: enter a number from 0 to 3\.\s+Number:/, `1${enter}`);
  await answer(/1\. Continue[\s\S]*Number:/, `1${enter}`);
  await answer(/0\. Go back[\s\S]*Number:/, `0${enter}`);
  await answer(/1\. Continue[\s\S]*Number:/, '\u0003');
  expect(await seen.ended).toMatchObject({ signal: signals.SIGINT });
  expect(seen.shown()).not.toContain(down);
  expect(seen.shown()).not.toContain('\u001b');
  expect(seen.shown()).toMatch(/is in draft\s+route\s+rte_/);
});

/** The lines of an address as a mail has them, pasted in one go. */
const pasted = ['44 E Ohio St', 'Apt 4, blue gate', 'Chicago, Cook County IL 60611'];

const manners: [what: string, env: Record<string, string>, paste: string, first: string][] = [
  ['drawn', {}, `\u001b[200~${pasted.join('\n')}\u001b[201~${enter}`, enter],
  ['accessible', { ACCESSIBLE: '1' }, `${pasted.join('\n')}\n`, `1${enter}`],
];

test.each(manners.filter(oneOf(2)))(
  '%s at 40 columns: pasted lines are one answer, and the account says how they are read',
  async (_what, env, paste, first) => {
    const home = freshHome(env);
    const seen = onScreen(home, ['new'], 40);
    const { answer } = seen;
    // A narrow screen breaks lines between words.
    const said = () => stripVTControlCharacters(seen.shown()).replaceAll(/\s+/g, ' ');
    await answer(/What would/, first);
    await answer(/Pickup address/, `${address}${enter}`);
    await answer(/Pickup name/, `Grill${enter}`);
    await answer(/Pickup phone/, `312-555-0101 ext. 7${enter}`);
    await answer(/Dropoff\s+address/, paste);
    await answer(/Dropoff name/, `Joe${enter}`);
    await answer(/Dropoff phone/, `312-555-0142${enter}`);
    await answer(/What is it/, `Soup:2${enter}`);
    await answer(/Another item/, enter);
    await answer(/Create\s+order/, first);
    await answer(/Continue/, '\u0003');
    await seen.ended;
    expect(said()).toContain('"Cook County" is left out: couriers need no county');
    expect(said()).toMatch(/Read: 5 as given; 2 changed: "ext\. 7" goes into the notes, "44 E Ohio St/);
    const [order] = JSON.parse((await inProcess(home, 'orders', 'list', '--json')).stdout);
    expect(order).toMatchObject({
      dropoff_address: '44 E Ohio St, Apt 4, blue gate, Chicago, IL 60611, USA',
      pickup_notes: 'Phone ext. 7',
    });
  },
);
