import { expect, test } from 'vitest';
import { tapping } from '../driver-taps.ts';
import { errorOf } from '../harness.ts';
import { newOrder, quotedRoute, type Sandbox, sandbox } from '../sandbox.ts';

/** Plain text in a terminal. */
const env = { NO_COLOR: '1' };

async function add(box: Sandbox, name: string, ...flags: string[]) {
  box.advance(1);
  return box.json(['drivers', 'add', name, '--phone', '312 555 0133', ...flags]);
}

test('a driver is added, listed, given a new link and removed', async () => {
  const box = await sandbox();
  expect((await box.run(['drivers', 'list'])).stderr).toContain('waybill drivers add\n');
  const sam = await add(box, 'Sam Lee', '--vehicle', 'bicycle');
  expect(sam).toMatchObject({ object: 'driver', name: 'Sam Lee', vehicle_type: 'bicycle' });
  expect(sam.link).toMatch(/\/drive\/[0-9A-Za-z]{22}$/);
  const { stdout } = await box.run(['drivers', 'list'], { tty: true, env });
  expect(stdout).toMatch(/NAME\s+ON DUTY\s+STOPS LEFT/);
  expect(stdout).toMatch(/Sam Lee\s+no\s+0/);
  const renewed = await box.json(['drivers', 'link', 'sam', '--yes']);
  expect(renewed.id).toBe(sam.id);
  expect(renewed.link).not.toBe(sam.link);
  const gone = { id: sam.id, object: 'driver', deleted: true };
  expect(await box.json(['drivers', 'remove', 'Sam Lee', '--yes'])).toEqual(gone);
  expect((await box.run(['drivers', 'get', String(sam.id)])).exit).toBe(5);
});

test('drivers are listed with the time at which each would bring an order', async () => {
  const box = await sandbox();
  const sam = await add(box, 'Sam Lee');
  const line = ['drivers', 'list', '--for', await newOrder(box)];
  const { stdout } = await box.run(line, { tty: true, env });
  expect(stdout).toMatch(/WOULD ARRIVE/);
  expect(JSON.parse((await box.run([...line, '--json'])).stdout)).toMatchObject([
    { id: sam.id, would_arrive_at: expect.stringMatching(/Z$/) },
  ]);
  expect((await box.run(['drivers', 'list', '--json'])).stdout).not.toContain('would_arrive_at');
});

test('a driver is changed', async () => {
  const box = await sandbox();
  await add(box, 'Sam Lee');
  const line = ['drivers', 'update', 'Sam', '--vehicle', 'bicycle', '--assign-without-asking'];
  expect(await box.json(line)).toMatchObject({ vehicle_type: 'bicycle', assign_without_asking: true });
  const back = await box.json(['drivers', 'update', 'Sam', '--no-assign-without-asking']);
  expect(back).toMatchObject({ vehicle_type: 'bicycle', assign_without_asking: false });
  expect((await box.run(['drivers', 'update', 'Sam'])).exit).toBe(2);
});

test('in a terminal the link is drawn as a QR code, once, with a warning', async () => {
  const box = await sandbox();
  const line = ['drivers', 'add', 'Sam Lee', '--phone', '3125550133'];
  const { stdout, stderr } = await box.run(line, { tty: true, columns: 100, env });
  expect(stdout).toMatch(/^Added Sam Lee\ndrv_\w+\n\nhttp.*\/drive\/[0-9A-Za-z]{22}\n\n[█▀▄ ]+\n/);
  expect(stderr).toContain('Anyone with this link can act as the driver.');
  expect(stderr).toContain('It works on this machine only: for phones, run `waybill serve --public-url URL`');
  const piped = await box.run(['drivers', 'link', 'Sam Lee', '--yes']);
  expect(piped.stdout).toMatch(/^drv_\w+\tSam Lee\thttp\S+\/drive\/\S{22}\n$/);
});

test('a driver is found by the whole name or its first words; an ambiguous one is refused', async () => {
  const box = await sandbox();
  const sam = await add(box, 'Sam');
  const samuel = await add(box, 'Samuel Lee');
  await add(box, 'Ana Lopez');
  await add(box, 'Ana Diaz');
  expect((await box.json(['drivers', 'get', 'SAM'])).id).toBe(sam.id);
  expect((await box.json(['drivers', 'get', 'samuel'])).id).toBe(samuel.id);
  const ambiguous = await box.run(['drivers', 'get', 'ana', '--json']);
  expect([ambiguous.exit, errorOf(ambiguous.stderr).choices]).toEqual([2, expect.any(Array)]);
  expect(errorOf(ambiguous.stderr).choices).toHaveLength(2);
  // The IDs do not say who is who.
  expect(errorOf(ambiguous.stderr).next).toMatchObject([{ command: 'waybill drivers list' }]);
  // A part of a word, or no word, may be another person.
  await box.json(['drivers', 'remove', 'Sam', '--yes']);
  for (const name of ['Sam', 'samu', '?', '*'])
    expect((await box.run(['drivers', 'remove', name, '--yes'])).exit, name).toBe(5);
  const missing = await box.run(['drivers', 'get', 'Zoe', '--json']);
  expect([missing.exit, errorOf(missing.stderr).message]).toEqual([5, 'There is no driver named "Zoe".']);
});

const exact = [
  ...['--pickup-latitude', '41.8927', '--pickup-longitude', '-87.6268'],
  ...['--dropoff-latitude', '41.8789', '--dropoff-longitude', '-87.6359'],
];

test.each([
  ['window', 'minute', [], /\d+:\d[05] to \d+:\d[05]/],
  ['minute', 'minute', exact, /\d+:\d\d/],
] as const)(
  'people read a %s of an own driver and a %s of a courier',
  async (_fleet, _courier, flags, time) => {
    const box = await sandbox();
    const sam = await add(box, 'Sam');
    await tapping(box.transport, sam.link)({ kind: 'duty', on: true });
    const route = await quotedRoute(box, ...flags);
    const { stdout } = await box.run(['quotes', 'list', route], { tty: true, columns: 120, env });
    const cell = (provider: string) =>
      new RegExp(`${provider} .*?(\\d+:\\d\\d(?: to \\d+:\\d\\d)?)`).exec(stdout)?.[1];
    expect(cell('fleet')).toMatch(new RegExp(`^${time.source}$`));
    expect(cell('swiftly')).toMatch(/^\d+:\d\d$/);
    // Programs keep the estimate.
    const { data } = await box.json(['quotes', 'list', route]);
    expect(JSON.stringify(data)).not.toContain('/2026-');
  },
);

/** Sam has picked up a delivery and has gone off duty. */
async function strandedParcel() {
  const box = await sandbox();
  const sam = await add(box, 'Sam Lee');
  const tap = tapping(box.transport, sam.link);
  await tap({ kind: 'duty', on: true });
  const route = await quotedRoute(box);
  const { deliveries } = await box.json(['dispatch', route, '--driver', 'Sam']);
  const id = Array.isArray(deliveries) ? String(deliveries[0]?.id) : '';
  await tap({ kind: 'pick_up', delivery_ids: [id] }, { kind: 'duty', on: false });
  return { box, id, sam: String(sam.id) };
}

test('a driver who gets a delivery later is not removed, and the printed commands give it away or explain it', async () => {
  const box = await sandbox();
  await add(box, 'Sam Lee');
  await add(box, 'Ana Ruiz');
  const order = await newOrder(box, '--dropoff-at', 'in 10 hours');
  const route = String((await box.json(['routes', 'create', order])).id);
  await box.json(['routes', 'quote', route]);
  box.advance(10_000);
  await box.json(['dispatch', route, '--driver', 'Sam']);
  const removal = async (name: string) => {
    const { exit, stderr } = await box.run(['drivers', 'remove', name, '--yes', '--json']);
    const { code, next } = errorOf(stderr);
    const commands = Array.isArray(next) ? next.map(({ command }) => String(command)) : [];
    return { exit, code, commands };
  };
  const { exit, code, commands } = await removal('Sam');
  const [assign = '', explain = ''] = commands;
  expect([exit, code, commands.length]).toEqual([6, 'driver_has_stops', 2]);
  await runPrinted(box, assign);
  expect(await box.json(['drivers', 'remove', 'Sam', '--yes'])).toMatchObject({ deleted: true });
  expect((await removal('Ana')).commands).toEqual([explain]);
  const [id = ''] = /dlv_\w+/.exec(explain) ?? [];
  expect(explain).toBe(`waybill deliveries explain ${id}`);
  await box.json(['deliveries', 'cancel', id, '--yes']);
  expect(await box.json(['drivers', 'remove', 'Ana', '--yes'])).toMatchObject({ deleted: true });
});

/** The first problem of today: its kind, ID, text and command. */
async function firstProblem(box: Sandbox) {
  const [[kind, id, , what, , command] = []] = (await box.run(['today'])).stdout
    .split('\n')
    .map((line) => line.split('\t'));
  return [kind, id, what, command];
}

/** Runs a command as it was printed. */
async function runPrinted(box: Sandbox, command: string, ...more: string[]) {
  const [, ...words] = command.split(' ');
  return box.json([...words, ...more]);
}

test('a delivery that is assigned takes the others of its route along, which is said', async () => {
  const box = await sandbox();
  await add(box, 'Ana');
  await add(box, 'Bea');
  const orders = [await newOrder(box, '--ref', 'A1'), await newOrder(box, '--ref', 'A2')];
  const route = String((await box.json(['routes', 'create', ...orders])).id);
  await box.json(['routes', 'quote', route]);
  box.advance(10_000);
  await box.json(['dispatch', route, '--driver', 'Ana']);
  expect(await box.run(['deliveries', 'assign', 'A1', '--driver', 'Bea'])).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining(`Assigned all that is left of route ${route} to Bea.`),
  });
  const { stdout } = await box.run(['deliveries', 'list', '--all', '-o', 'csv', '--columns', 'ref,driver']);
  expect(stdout).toContain('A2,Bea');
});

test('a delivery is assigned and canceled only as it was seen', async () => {
  const { box, id } = await strandedParcel();
  await add(box, 'Ana');
  const assign = (from: string) =>
    box.run(['deliveries', 'assign', id, '--from', from, '--driver', 'Ana', '--json']);
  const cancel = (status: string) =>
    box.run(['deliveries', 'cancel', id, '--if-status', status, '--operator', '--yes', '--json']);
  const refusals = [await assign('none'), await assign('Ana'), await cancel('driver_assigned')];
  expect(refusals.map(({ exit, stderr }) => [exit, errorOf(stderr).message])).toEqual([
    [6, `Delivery ${id} is with Sam Lee, not with no driver: look again.`],
    [6, `Delivery ${id} is with Sam Lee, not with Ana: look again.`],
    [6, `Delivery ${id} is pickup_complete, not driver_assigned: look again.`],
  ]);
  expect((await assign('Sam Lee')).exit).toBe(0);
});

test('what a driver off duty should pick up is listed, and the driver is found without accents', async () => {
  const box = await sandbox();
  await add(box, "Zoë O'Hara");
  const route = await quotedRoute(box);
  const { deliveries } = await box.json(['dispatch', route, '--driver', 'ZOE OHARA']);
  const id = Array.isArray(deliveries) ? String(deliveries[0]?.id) : '';
  const what = "waits for Zoë O'Hara, who is off duty";
  expect(await firstProblem(box)).toEqual([
    'off_duty',
    id,
    what,
    `waybill deliveries report ${id} STATUS --note TEXT`,
  ]);
});

test('a parcel of a driver who went off duty is listed, and the printed command gives it to another driver', async () => {
  const { box, id, sam } = await strandedParcel();
  const what = 'is with Sam Lee, who went off duty';
  expect(await firstProblem(box)).toEqual([
    'off_duty',
    id,
    what,
    `waybill deliveries report ${id} STATUS --note TEXT`,
  ]);
  const ana = await add(box, 'Ana Ruiz');
  const command = `waybill deliveries assign ${id} --driver ${ana.id}`;
  expect(await firstProblem(box)).toEqual(['off_duty', id, what, command]);
  const { stdout } = await box.run(['deliveries', 'explain', id]);
  expect(stdout).toContain(`waybill deliveries assign ${id} --driver DRIVER`);
  // Only a simulated courier can be stepped.
  expect(stdout).not.toContain('sandbox step');
  const refused = await box.run(['drivers', 'remove', sam, '--yes', '--json']);
  const error = errorOf(refused.stderr);
  expect([refused.exit, error.code, error.message]).toEqual([
    ...[6, 'driver_has_stops', 'Sam Lee still has 1 delivery.'],
  ]);
  expect(JSON.stringify(error.next)).toContain(command);
  expect(error.hint).toContain(`\`${command}\``);
  expect(await runPrinted(box, command)).toMatchObject({
    status: 'pickup_complete',
    courier_name: 'Ana Ruiz',
  });
  await box.json(['drivers', 'remove', sam, '--yes']);
  expect((await firstProblem(box))[0]).toBe('off_duty');
});

test('what is for the recipient of an own driver is changed after the pickup, and the page shows it', async () => {
  const { box, id } = await strandedParcel();
  const { stderr } = await box.run(['deliveries', 'edit', id, '--dropoff-unit', '12C']);
  expect(stderr).toContain("Changed: dropoff unit.\nThe driver's page shows it at once.\n");
  const [{ dropoff_unit }] = Object(await box.json(['deliveries', 'get', id])).dropoffs;
  expect(dropoff_unit).toBe('12C');
  const { stdout } = await box.run(['deliveries', 'explain', id]);
  expect(stdout).toContain(`deliveries edit ${id}`);
  const late = await box.run(['deliveries', 'edit', id, '--pickup-notes', 'Back door', '--json']);
  expect(errorOf(late.stderr).code).toBe('delivery_not_editable');
  await box.json(['deliveries', 'report', id, 'delivered', '--note', 'Came']);
  const over = await box.run(['deliveries', 'edit', id, '--dropoff-unit', '4', '--json']);
  expect(errorOf(over.stderr).code).toBe('delivery_not_editable');
});

test('a status is reported for a driver, by its note and the rules of the states', async () => {
  const { box, id, sam } = await strandedParcel();
  const missing = await box.run(['deliveries', 'report', id]);
  expect([missing.exit, missing.stderr]).toEqual([2, expect.stringContaining('--note')]);
  const back = ['enroute_to_return', '--failure-reason', 'recipient_unreachable', '--note', 'Rang twice'];
  expect(await box.json(['deliveries', 'report', id, ...back])).toMatchObject({
    ...{ status: 'enroute_to_return', failure_message: 'Rang twice' },
  });
  const refused = await box.run(['deliveries', 'report', id, 'delivered', '--note', 'Came', '--json']);
  expect(refused.exit).toBe(6);
  expect(errorOf(refused.stderr).message).toBe(
    `Delivery ${id} is enroute_to_return and cannot become delivered.`,
  );
  await box.json(['deliveries', 'report', id, 'returned', '--note', 'In the kitchen']);
  expect((await box.run(['deliveries', 'explain', id])).stdout).toContain('In the kitchen');
  await box.json(['drivers', 'remove', sam, '--yes']);
});

test('prices are given in dollars and shown, to programs in cents; what is not named stays', async () => {
  const box = await sandbox();
  const prices = async (...flags: string[]) => box.json(['drivers', 'prices', ...flags]);
  expect(await prices()).toEqual({ per_delivery: 0, per_mile: 0, ask_pin: false, share_phone: true });
  const set = await prices('--per-delivery', '2.50', '--per-mile', '0.75');
  expect(set).toEqual({ per_delivery: 250, per_mile: 75, ask_pin: false, share_phone: true });
  expect(await prices('--ask-pin')).toEqual({ ...set, ask_pin: true, share_phone: true });
  // The other prices are not sent: a concurrent change of them is kept.
  expect(JSON.parse(box.requests.at(-1)?.body ?? '')).toEqual({ fleet: { ask_pin: true } });
  expect(await prices('--per-mile', '0')).toEqual({
    per_delivery: 250,
    per_mile: 0,
    ask_pin: true,
    share_phone: true,
  });
  expect(await prices('--no-ask-pin')).toEqual({
    per_delivery: 250,
    per_mile: 0,
    ask_pin: false,
    share_phone: true,
  });
  const people = await box.run(['drivers', 'prices'], { tty: true, env: { NO_COLOR: '1' } });
  expect(people.stdout).toMatch(/Each delivery +\$2\.50\n.*Each mile +\$0\.00\n/);
  expect(people.stderr).toContain('waybill drivers prices --per-delivery');
});

test('without flags nothing is changed, and variables of the environment count as flags', async () => {
  const box = await sandbox();
  await box.json(['drivers', 'prices']);
  expect(box.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  const env = { WAYBILL_ASK_PIN: '1' };
  expect(await box.json(['drivers', 'prices'], { env })).toMatchObject({ ask_pin: true, share_phone: true });
});

test('a price above the limit is refused with the limit in dollars', async () => {
  const box = await sandbox();
  const { exit, stderr } = await box.run(['drivers', 'prices', '--per-mile', '1000000', '--json']);
  const { message } = errorOf(stderr);
  expect([exit, message]).toEqual([2, '--per-mile must be at most 999999.99 dollars, not "1000000".']);
});

test('a service without the setting is told from one without prices', async () => {
  const box = await sandbox();
  const { exit, stderr } = await box.run(['drivers', 'prices', '--ask-pin', '--json'], {
    transport: async (request) => {
      const response = await box.transport(request);
      const { fleet: _, ...rest } = JSON.parse(response.body);
      return { ...response, body: JSON.stringify(rest) };
    },
  });
  expect([exit, errorOf(stderr).code]).toEqual([6, 'not_supported']);
  expect(box.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
});
