/** However an order is sent again, one courier comes: counted at the courier. Further ways: test/cli/commands/orders. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freshHome as inProcessHome, waybill } from '../cli/harness.ts';
import { exampleKey, exampleSecret, exampleSource, startExample } from '../fakes/http-courier/example.ts';
import { freshHome, serve } from './run.ts';

const header = 'external_order_ref,dropoff_address,dropoff_name,dropoff_phone_number,items_description';
const csv = (...rows: string[]) => `${[header, ...rows].join('\n')}\n`;
const row = (ref: string) => `${ref},"233 S Wacker Dr, Chicago, IL 60606",Pat Doe,(312) 555-2222,Dinner`;
const shopify = [
  'Name,Financial Status,Fulfillment Status,Shipping Method,Lineitem quantity,Lineitem name,Shipping Name,Shipping Address1,Shipping City,Shipping Zip,Shipping Province,Shipping Country,Shipping Phone',
  '#1001,paid,unfulfilled,Local Delivery,1,Bread,Pat Doe,233 S Wacker Dr,Chicago,60606,IL,US,312-555-2222',
  '#1001,,,,2,Milk,,,,,,,',
  '#1002,paid,unfulfilled,Local Delivery,1,Soup,Lu Poe,43 E Ohio St,Chicago,60611,IL,US,312-555-2223',
].join('\n');
const order = (ref: string) => ({
  external_order_ref: ref,
  pickup_address: '43 E Ohio St, Chicago, IL 60611',
  pickup_name: 'Grill',
  pickup_phone_number: '+13125550101',
  dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
  dropoff_name: 'Pat Doe',
  dropoff_phone_number: '+13125552222',
  items: [{ name: 'Dinner', quantity: 1 }],
});

const files: Record<string, string> = {
  'a.csv': csv(row('R-1')),
  'copy.csv': csv(row('R-1')),
  'today.csv': shopify,
  'tomorrow.csv': `${shopify}\n#1003,paid,unfulfilled,Local Delivery,1,Tea,Bo Roe,43 E Ohio St,Chicago,60611,IL,US,312-555-2224\n`,
  'order.json': JSON.stringify(order('R-1')),
};

/** The courier of the guide, which tells the phone of each recipient that it takes an order for. */
const source = exampleSource().replace(
  'console.log(',
  "console.log('Booked', order.customerPhone);\n  console.log(",
);

const auto = '--auto --providers http --max-cost 12 --wait --timeout 60s';

interface Case {
  what: string;
  /** Commands, each of which may be refused; LISTED is every line that the one before printed, in turn. */
  lines: string[];
  /** The couriers that come. */
  couriers: number;
}

const cases: Case[] = [
  {
    what: 'the same file under another name',
    lines: [`orders import a.csv --store Grill ${auto}`, `orders import copy.csv --store Grill ${auto}`],
    couriers: 1,
  },
  {
    what: 'the export of a shop on two days',
    lines: [
      `orders import today.csv --preset shopify --store Grill ${auto}`,
      `orders import tomorrow.csv --preset shopify --store Grill ${auto}`,
    ],
    couriers: 3,
  },
  {
    what: 'an imported order that is created and dispatched',
    lines: [
      `orders import a.csv --store Grill ${auto}`,
      'deliveries create --file order.json --initiate --max-cost 12',
      `orders create --file order.json ${auto}`,
    ],
    couriers: 1,
  },
  {
    what: 'a retry of a list with a delivery under way',
    lines: [
      'ship --file order.json --provider http --max-cost 12',
      'deliveries retry R-1 --max-cost 12',
      'deliveries list -o id',
      'deliveries retry LISTED --max-cost 12',
    ],
    couriers: 1,
  },
  {
    what: 'a closed order whose delivery is retried',
    lines: [
      'ship --file order.json --provider http --max-cost 12',
      'cancel R-1 --yes',
      'orders cancel R-1 --yes',
      'deliveries retry R-1 --max-cost 12',
    ],
    couriers: 1,
  },
];

/** A shop with the courier of the guide; each case has a home of its own with its files, and references of its own. */
async function shop() {
  const courier = await startExample(source);
  onTestFinished(courier.close);
  const served = await serve(freshHome(), { flags: ['--allow-private-couriers'] });
  const env = { WAYBILL_BASE_URL: served.url, WAYBILL_API_KEY: served.keys.test };
  const settings = JSON.stringify({ url: courier.url, api_key: exampleKey, webhook_secret: exampleSecret });
  const grill = ['--name', 'Grill', '--address', '43 E Ohio St, Chicago, IL 60611', '--phone', '3125550101'];
  const connected = await waybill(['couriers', 'connect', 'http', '--settings-from', '-', '--yes'], {
    ...{ env, stdin: settings },
  });
  expect(connected.exit, connected.stderr).toBe(0);
  const made = await waybill(['stores', 'create', ...grill], { env });
  expect(made.exit, made.stderr).toBe(0);
  return { env, booked: courier.booked };
}

/** The text with references and phones of the case with this number. */
const own = (text: string, at: number) =>
  text.replaceAll(/(?<=R-|#)(?=\d)/g, `${at}00`).replaceAll(/222(?=\d)/g, phoneEnd(at));

const phoneEnd = (at: number) => `2${String(at).padStart(2, '0')}`;

/** Runs the lines in a home of their own, and returns what they said. */
async function run({ lines }: Case, at: number, env: Record<string, string>): Promise<string> {
  const home = inProcessHome();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(home, name), own(content, at));
  let said = '';
  let listed: string[] = [];
  for (const line of lines) {
    const text = own(line, at);
    for (const one of text.includes('LISTED') ? listed.map((id) => text.replace('LISTED', id)) : [text]) {
      const { exit, stderr, stdout } = await waybill(one.split(' '), { home, env });
      said += `$ waybill ${one}\nexit ${exit}\n${stdout}${stderr}`;
      listed = stdout.trim().split('\n');
    }
  }
  return said;
}

test('one courier comes for an order, however often it is sent', async () => {
  const { env, booked } = await shop();
  const waiting = [...cases.entries()];
  const said: Record<string, string> = {};
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, each] = next;
      said[each.what] = await run(each, at, env);
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
  for (const [at, { what, couriers }] of cases.entries()) {
    const came = booked.filter((phone) => phone.startsWith(`+1312555${phoneEnd(at)}`));
    expect(came.length, `${what}\n${said[what]}`).toBe(couriers);
  }
});
