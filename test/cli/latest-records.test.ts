import { expect, test } from 'vitest';
import type { Choice, Prompts } from '../../src/cli/kit/host/host.ts';
import { errorOf } from './harness.ts';
import { newDelivery, newOrder, orderLine, quotedRoute, sandbox } from './sandbox.ts';

const box = await sandbox();
const create = ['deliveries', 'create', ...orderLine.slice(2)];

interface Picked {
  asked: string[];
  choices: readonly Choice<string>[];
}

/** Answers the prompt of a command; returns the choices. */
async function answered(line: readonly string[], answer: string, ...flags: string[]) {
  const seen: Picked = { asked: [], choices: [] };
  const never = () => Promise.reject(new Error('that was not expected'));
  const prompts: Prompts = {
    ...{ secret: never, select: never, checkbox: never, confirm: never },
    text: async (message) => {
      seen.asked.push(message);
      return answer;
    },
    search: async (message, choices) => {
      seen.asked.push(message);
      seen.choices = choices;
      return answer;
    },
  };
  const env = { NO_COLOR: '1' };
  const outcome = await box.run([...line, ...flags], { tty: true, columns: 200, env, prompts });
  return { ...outcome, ...seen };
}

const names = ({ choices }: Picked) => choices.map(({ name }) => name.replace(/ +/g, ' '));

test('without records to choose from, an id is prompted for as text', async () => {
  const { asked, choices, exit } = await answered(['deliveries', 'get'], 'nobody');
  expect([asked, choices, exit]).toEqual([
    ['Delivery ID, your reference, or any text to search for (DELIVERY)'],
    [],
    5,
  ]);
});

test('the latest deliveries with reference, recipient, status and age, or typed text', async () => {
  const first = String((await box.json([...create, '--ref', '#1042'])).id);
  box.advance(4 * 60_000);
  const second = String((await box.json([...create, '--initiate', '--dropoff-name', 'Zoë'])).id);
  box.advance(30_000);
  const picked = await answered(['deliveries', 'get'], first);
  expect([picked.exit, picked.stdout]).toEqual([0, expect.stringContaining(first)]);
  expect(names(picked)).toEqual([
    `${second} Zoë delivery_created 30 s ago`,
    '#1042 Joe Diner request 4 min ago',
  ]);
  expect(picked.choices.map(({ value, description }) => [value, description])).toEqual([
    [second, undefined],
    [first, first],
  ]);
  const typed = await answered(['deliveries', 'initiate'], '#1042');
  expect([typed.exit, typed.stdout]).toEqual([0, expect.stringContaining(first)]);
  const iso = await answered(['deliveries', 'get'], first, '--time', 'iso');
  expect(names(iso)[1]).toMatch(/delivery_created 20\d\d-\S+Z$/);
});

test('what is done to deliveries offers those that it can be done to, of each order the latest', async () => {
  const failing = ['--initiate', '--simulate', 'payment_declined_once', '--ref'];
  const retried = await newDelivery(box, ...failing, 'twice');
  await box.json(['deliveries', 'retry', retried]);
  const failed = await newDelivery(box, ...failing, 'once');
  const offered = async (verb: string, ...flags: string[]) =>
    (await answered(['deliveries', verb, ...flags], 'nobody')).choices.map(({ value }) => value);
  expect(await offered('retry')).toEqual([failed]);
  expect(await offered('dispute', '--reason', 'cold')).toEqual([]);
  expect(await offered('cancel')).not.toContain(failed);
});

test('orders, routes and batches too', async () => {
  const order = await newOrder(box, '--ref', '#2001');
  const orders = await answered(['orders', 'get'], order);
  expect([orders.exit, names(orders)[0]]).toEqual([0, '#2001 Joe Diner open just now']);
  const created = await answered(['routes', 'create'], '#2001');
  expect([created.exit, created.asked.length, created.stdout]).toEqual([
    0,
    1,
    expect.stringContaining(order),
  ]);
  const route = await quotedRoute(box);
  const routes = await answered(['dispatch', '--cheapest'], route);
  expect([routes.exit, names(routes)[0]]).toEqual([0, `${route} 1 order draft 10 s ago`]);
  const { batch_id } = await box.json([...orderLine, '--auto', '--yes']);
  const batches = await answered(['batches', 'get'], String(batch_id));
  expect([batches.exit, names(batches)[0]]).toEqual([0, `${batch_id} 1 order processing just now`]);
});

test('what can still be dispatched is offered: draft routes, and orders that a route may have', async () => {
  const sent = await quotedRoute(box);
  await box.json(['dispatch', sent, '--cheapest']);
  const draft = await quotedRoute(box);
  const commands = [
    ['dispatch', '--cheapest'],
    ['routes', 'quote'],
    ['routes', 'delete'],
  ];
  for (const line of commands) {
    const { choices } = await answered(line, 'rte_none');
    expect(
      choices.map(({ value }) => value),
      line.join(' '),
    ).toContain(draft);
    expect(names({ asked: [], choices }).filter((name) => !name.includes(' draft '))).toEqual([]);
  }
  const all = await answered(['routes', 'get'], draft);
  expect(all.choices.map(({ value }) => value)).toContain(sent);
  await box.json(['routes', 'delete', draft]);
  const failing = await newOrder(box, '--ref', '#3001', '--simulate', 'no_capacity');
  const { id } = await box.json(['routes', 'create', failing]);
  await box.json(['routes', 'quote', String(id)]);
  box.advance(10_000);
  await box.run(['dispatch', String(id), '--cheapest']);
  const orders = await answered(['routes', 'create'], '#3001');
  expect([orders.exit, names(orders)[0]]).toEqual([0, expect.stringMatching(/^#3001 Joe Diner failed /)]);
  expect(names(orders).filter((name) => / (dispatched|routed|canceled) /.test(name))).toEqual([]);
});

test('without a terminal all missing input is named at once and nothing is looked up', async () => {
  const before = box.requests.length;
  const { exit, stderr } = await box.run(['deliveries', 'dispute', '--json']);
  expect([exit, errorOf(stderr).missing]).toEqual([2, ['DELIVERY', '--reason']]);
  const { exit: code, asked } = await answered(['deliveries', 'get'], 'x', '--no-input');
  expect([code, asked, box.requests.length]).toEqual([2, [], before]);
});
