import { expect, test } from 'vitest';
import { Interrupted } from '../../../../src/cli/kit/errors/failure.ts';
import { errorOf, newInterruption, objectsIn, type RunOptions } from '../../harness.ts';
import { newOrder, type Sandbox, sandbox, startedAt } from '../../sandbox.ts';

const watch = ['sandbox', 'clock', '--watch'];
const at = (ms: number) => new Date(startedAt + ms).toISOString();

/** Passes time; after certain waits a command runs as if in another terminal. */
function meanwhile(box: Sandbox, lines: Readonly<Record<number, readonly string[]>>) {
  let waits = 0;
  const sleep = async (ms: number) => {
    box.advance(ms);
    waits += 1;
    if (waits > 999) throw new Error('it does not end');
    const line = lines[waits];
    if (line !== undefined) await box.json(line);
  };
  return { sleep, waits: () => waits };
}

function eventsIn(stdout: string): Record<string, unknown>[] {
  return objectsIn(stdout);
}

test('a line when it is set, moved, or something else is due, and none while it runs', async () => {
  const box = await sandbox();
  const route = String((await box.json(['routes', 'create', await newOrder(box)])).id);
  const others = meanwhile(box, {
    3: ['sandbox', 'clock', 'scaled'],
    6: ['sandbox', 'advance', '--by', '1h'],
    9: ['sandbox', 'clock', 'manual'],
    12: ['routes', 'quote', route],
    15: ['sandbox', 'advance', '--by', '1h'],
  });
  const { stdout, stderr, exit } = await box.run(
    [...watch, '--json', '--until', '2h30m', '--timeout', '20s'],
    others,
  );
  expect([exit, errorOf(stderr).code, others.waits()]).toEqual([8, 'still_pending', 20]);
  const events = eventsIn(stdout);
  expect(events.map(({ type }) => type)).toEqual([
    'clock.current',
    ...Array(events.length - 1).fill('clock.updated'),
  ]);
  expect(events.slice(0, 4).map(({ mode, now }) => [mode, now])).toEqual([
    ['real', at(1)],
    ['scaled', at(3001)],
    ['scaled', at(3_600_000 + 3 * 60_000 + 3001)],
    ['manual', at(3_600_000 + 6 * 60_000 + 3001)],
  ]);
  const [asked, moved] = events.slice(4);
  expect(asked).toMatchObject({ now: events[3]?.now, next_due_at: expect.any(String) });
  expect(moved).toMatchObject({ now: at(7_200_000 + 6 * 60_000 + 3001), next_due_at: null });
  expect(events).toHaveLength(6);
});

test('it ends when the clock reaches --until, and --changes-only omits its first state', async () => {
  const box = await sandbox();
  const line = [...watch, '--until', '5m', '--changes-only'];
  const { stdout, exit } = await box.run(line, meanwhile(box, { 2: ['sandbox', 'clock', 'scaled'] }));
  expect([exit, stdout]).toEqual([0, `${at(2000)}\tscaled\t60\t\n`]);
  const past = await box.run([...watch, '--until', at(0), '--json'], meanwhile(box, {}));
  expect([past.exit, eventsIn(past.stdout)]).toMatchObject([0, [{ type: 'clock.current' }]]);
  const set = await box.run([...watch, 'manual', '--until', at(0), '--json']);
  expect([set.exit, eventsIn(set.stdout)]).toMatchObject([0, [{ type: 'clock.current', mode: 'manual' }]]);
});

test('a stopped clock is reported, with what to do at the time-out', async () => {
  const box = await sandbox();
  await box.json(['sandbox', 'clock', 'manual']);
  const line = [...watch, '--until', at(60_000), '--timeout', '5s', '--interval', '2s'];
  const people = await box.run(line, meanwhile(box, {}));
  expect(people.stderr).toContain(
    'The clock of this sandbox is stopped. In another terminal: waybill sandbox advance',
  );
  const { exit, stderr } = await box.run([...line, '--json'], meanwhile(box, {}));
  expect(exit).toBe(8);
  expect(errorOf(stderr)).toMatchObject({
    code: 'still_pending',
    message: `Time ran out after 5s: the clock is at ${at(0)}, and not yet at ${at(60_000)}.`,
    next: [
      { command: 'waybill sandbox advance --next' },
      { command: `waybill sandbox clock --watch --until ${at(60_000)} --interval 2s --timeout 5s` },
    ],
  });
});

test('in a terminal it is one line that is redrawn below other output', async () => {
  const box = await sandbox();
  const drawn: string[] = [];
  const spinner: RunOptions['spinner'] = async (text) => {
    drawn.push(text);
    return {
      set text(next: string) {
        drawn.push(next);
      },
      stop: () => drawn.push(''),
    };
  };
  const person = { tty: true, columns: 80, env: { NO_COLOR: '1', TZ: 'UTC' }, spinner };
  const others = meanwhile(box, { 2: ['sandbox', 'clock', 'scaled'] });
  const { stdout, exit } = await box.run([...watch, '--until', at(62_000), '--time', 'iso'], {
    ...person,
    ...others,
  });
  expect(exit).toBe(0);
  expect(stdout).toEqual(
    [`${at(0)}  real             nothing is due\n`, `${at(2000)}  scaled, rate 60  nothing is due\n`].join(
      '',
    ),
  );
  expect(drawn).toEqual([`${at(0)} · real`, `${at(1000)} · real`, '', `${at(2000)} · scaled, rate 60`, '']);
  drawn.length = 0;
  const still = await box.run([...watch, '--until', '2m'], {
    ...person,
    env: { ...person.env, ACCESSIBLE: '1' },
    ...meanwhile(box, {}),
  });
  expect([still.exit, drawn, still.stderr]).toEqual([0, [], '']);
});

test('Ctrl+C is 130, and prints how to continue', async () => {
  const box = await sandbox();
  const controller = new AbortController();
  const interruption = newInterruption();
  const sleep = async () => {
    controller.abort();
    throw new Interrupted();
  };
  const options = { sleep, interruption, signal: controller.signal };
  expect((await box.run([...watch, '--json'], options)).exit).toBe(130);
  expect(interruption.status()?.text).toBe(
    'Watching changes nothing. Continue with: waybill sandbox clock --watch',
  );
});

test.each([
  [['--until', '1h'], '--until requires --watch.'],
  [['--changes-only'], 'requires --watch'],
  [['--watch', '--interval', '100ms'], '--interval must be at least 250ms'],
  [['--watch', '--until', 'delivered'], '--until must be a time'],
])('%j is exit 2: %s', async (flags, text) => {
  const { exit, stderr } = await (await sandbox()).run(['sandbox', 'clock', ...flags]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(text)]);
});
