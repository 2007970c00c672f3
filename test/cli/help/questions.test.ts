import { expect, test } from 'vitest';
import { shellWords } from '../../../src/cli/kit/result/message.ts';
import { waybill } from '../harness.ts';

/** Values for the placeholders of lines that do not take a reference. */
const values: Readonly<Record<string, string>> = {
  ...{ WHEN: 'tomorrow 6pm', DURATION: '5m', COUNT: '3', DOLLARS: '5', PHONE: '3125550142' },
  ...{ GROUPS: 'store', STATUS: 'delivered', STATUSES: 'failed', COLUMN: 'created', EXPRESSION: 'id' },
  ...{ NAMES: 'swiftly', ITEM: 'Pizza', PERIOD: 'today', ID: 'str_1' },
};
/** Lines with files, and commands that go on until they are ended. */
const isElsewhere =
  / [>|] | FILE\b|\.(?:csv|json|db)\b|--watch\b|^waybill (?:serve|start|listen|login|mcp|board|new|doctor|couriers check)\b|\bwait\b/;
const emptyService = async () => ({
  status: 404,
  headers: {},
  body: '{"object":"error","code":"record_not_found","message":"None."}',
});

/** Questions in words, the best line for each, and how near the top it must be. */
test.each([
  [
    'which orders above 100 dollars last week',
    "orders list --filter 'order_value > 100' --all --period 'last week'",
  ],
  ['how many were canceled because no driver was found', 'report --by reason'],
  ['refund for 5064, did it come', 'charges list --order 5064'],
  ['what percent of orders was on time in the last 7 days', 'report last 7 days'],
  ['a csv of all refunds', 'charges list --kind refund --all -o csv'],
  ['the recipient wants it left at the back door', 'deliveries edit DELIVERY --dropoff-notes TEXT', 2],
  ['can one driver take both orders', 'routes create ORDER ORDER'],
  ['how many were late in the last hour', "deliveries list --late --period 'last hour'"],
  ['what does the status pickup_complete mean, and what comes after it', 'help statuses'],
  ['what comes after enroute_pickup', 'help statuses'],
  ['all orders whose recipient is called Kim', 'deliveries list --search kim'],
  ['which couriers can take a signature', 'couriers list'],
  ['which couriers take alcohol', 'help orders create age'],
  ['what do we owe each courier for yesterday', 'report yesterday --by courier --fees', 2],
  [
    'in which minute does the next driver come to Loop Pizza',
    'deliveries list --status not_picked_up --sort pickup',
  ],
  [
    'which were delivered in the last hour, and how early or late was each',
    "deliveries list --delivered 'last hour' --columns ref,dropoff,delivered,late_minutes",
    2,
  ],
  [
    'which orders go to the 60614 area today',
    "deliveries list --filter 'dropoff_address ~ 60614' --period today",
  ],
  [
    'which were canceled after a driver had been assigned',
    'deliveries list --status canceled --filter driver --columns ref,dropoff,driver,canceled_by,ended,charged --all',
  ],
  ['which recipients spent most this week', 'report this week --by customer --sort value', 2],
  [
    'the three longest distances today, with what they cost',
    'deliveries list --sort distance --columns ref,dropoff,distance,charged --period today',
  ],
  ['share on time for each courier, the worst first', 'report --by courier --sort on_time:asc'],
  [
    'which were canceled by us, by whom and why',
    'deliveries list --status customer_canceled --columns ref,dropoff,ended,canceled_by,reason',
  ],
  ['show an order minute by minute', 'deliveries explain DELIVERY'],
  ['refunds we still wait for', 'disputes list --status open'],
  ['no bicycle, see the prices', 'deliveries quote --like ORDER --vehicle car'],
  ['which orders were not sent to any courier yet', 'orders list --status open'],
  [
    'how long did couriers let our food wait, on average and at worst',
    'deliveries list --sort at_store_minutes',
    2,
  ],
  ['recipients with more than one order', 'report --by customer'],
  ['deliveries that are late more than the others', 'deliveries list --late'],
  ['how do I get json', 'deliveries list --json'],
  ['show only ids', 'deliveries list --output id'],
  ['how many were late yesterday', 'deliveries list --late --period yesterday', 2],
  ['refunds by store', 'report --fees --by store'],
  ['which driver is closest to the store', 'drivers list --for ORDER'],
  ['who canceled order 6088', 'deliveries explain 6088'],
  ['what would it cost to cancel 6088', 'deliveries cancel 6088 --price', 2],
  ['change the apartment of an order', 'deliveries edit DELIVERY --dropoff-unit 12C', 2],
  ['send the tracking link to the customer', 'track DELIVERY --text', 2],
  ['stop a store until 9pm', 'stores pause STORE --until WHEN'],
  ['average delivery time by store', 'report --by store --sort minutes'],
  ["export yesterday's deliveries to excel", 'deliveries list --period yesterday --all --output csv', 2],
  ['orders without a photo', 'deliveries list --without-proof'],
  ['what is due in the next hour', 'deliveries list --active --sort due'],
  ['look up a delivery by phone number', 'deliveries list --phone +13125550142'],
  ['who is on duty', 'drivers list'],
  ['why did deliveries fail last week', 'report last week --by reason'],
  ['give the order to my own driver', 'ship "#1042" --driver DRIVER --max-cost 12.50', 2],
  ['deliver at 8pm instead', "deliveries reschedule DELIVERY --dropoff-at '8pm'"],
  ['what are our busiest hours', 'report --by hour --sort orders', 2],
  ['leave a note for my colleague', 'deliveries note DELIVERY', 2],
  ['which webhooks could not be delivered, send again', 'webhooks attempts --failed'],
  ['resend the events of a broken endpoint', 'webhooks attempts --failed'],
  ['are there open disputes', 'disputes list --status open'],
  ['top customers this month', 'report this month --by customer'],
  ['how much did we pay in tips', 'charges list --kind tip', 2],
  ['turn off a courier', 'couriers disable COURIER'],
  ['stop sending orders to one courier for today', 'couriers disable COURIER'],
  ['stop using a courier today', 'couriers disable COURIER'],
  ['wrong house number', 'deliveries cancel DELIVERY --price'],
  ['I was charged twice', 'charges list --order ORDER'],
  ['the driver was rude, who was it', 'deliveries explain DELIVERY'],
  ['can I still cancel', 'deliveries cancel DELIVERY --price'],
  ['what leaves next', 'deliveries list --status not_picked_up --sort pickup'],
  ['which driver stands here', 'deliveries list --status arrived_at_pickup --sort status_since:asc'],
  [
    'what do I cook at six',
    'deliveries list --status not_picked_up --sort pickup --columns ref,pickup_due,items',
  ],
  ['how many pizzas today', 'deliveries list --search pizza --period today --all'],
  ['which orders have allergies', 'deliveries list --search allerg'],
  ['what did tuesday cost', 'report tuesday'],
  ['which fees came back', 'charges list --kind refund --all'],
  ['what was charged for order 5096', 'charges list --order 5096'],
  ['total of failed deliveries yesterday', 'deliveries list --status failed --all --period yesterday'],
  ['cancellation fees this week', "charges list --kind cancellation --all --period 'this week'", 2],
  ['who is worst', 'report --by driver --sort problems', 2],
  ['how much later than promised', 'report --minutes'],
  ['how many orders did we lose', 'report'],
  ['who canceled most', 'report --by customer --sort canceled', 2],
  ['which parcel is this, code 4417', 'deliveries list --search 4417'],
  ['my app does not load', 'drivers link DRIVER'],
  ['which orders were tried twice', 'orders list --tries 2'],
  ['my order says delivered but I have nothing', "deliveries dispute DELIVERY --reason 'It never came'"],
  ['can you call me when you are here', 'deliveries edit DELIVERY --dropoff-notes TEXT'],
  ['I gave the wrong flat number', 'deliveries edit DELIVERY --dropoff-unit 12C'],
  ['is it here before 7', 'where DELIVERY'],
  ['who is bringing it', 'deliveries explain DELIVERY'],
  ['I want it tomorrow instead', "deliveries reschedule DELIVERY --dropoff-at '8pm'"],
  ['what is still in the kitchen', 'deliveries list --status not_picked_up --sort pickup'],
  ['which dishes are in 6017', 'orders get 6017'],
  ['how much did we pay for waiting', 'charges list --kind adjustment --all'],
  ['which orders were free', "deliveries list --filter 'total_cost = 0' --all"],
  ['how many orders did Ana Diner have', "deliveries list --search 'ana diner' --all"],
  ['orders without a tip', "deliveries list --filter '!tip' --all"],
  ['is the service up', 'doctor'],
  ['drivers wait at a store', 'deliveries list --status arrived_at_pickup --sort status_since:asc'],
  ['what would it cost to send this to another address', 'deliveries quote --like ORDER', 2],
  ['undo a cancellation', 'deliveries retry DELIVERY', 2],
  ['orders nobody picked up yet', 'deliveries list --status not_picked_up'],
  ['read only api key for my accountant', 'keys create --permission read --name dashboard'],
  ['compare last week with this week', 'report last week this week'],
  ['driver lost his phone', 'drivers link DRIVER'],
  ['orders over 100 dollars', 'orders list --min-value 50 --on today', 3],
  ['refund a customer 3.50', "deliveries dispute DELIVERY --reason 'The soup was cold'"],
  [
    'couriers coming to a store in the next 20 minutes with plate',
    "deliveries list --store 'Ohio Street Grill' --status not_picked_up --sort pickup",
    2,
  ],
  [
    'which orders did a courier decline today',
    "deliveries list --period today --filter 'failure_reason = provider_refused'",
  ],
  ['which orders have no driver', 'orders list --waiting'],
  ['orders without a courier', 'orders list --waiting'],
  ['leave with neighbour', "deliveries edit DELIVERY --dropoff-notes 'Leave it with the neighbor at 12'"],
  ['which orders are waiting longest for a driver', 'orders list --waiting'],
  ['total tips last week by driver', 'report last week --by driver --sort tips'],
  ['which orders came back to the store today', 'deliveries list --status returned --ended today'],
  ['customer gave the wrong address', 'ship --like ORDER', 2],
  ['make a test order', 'start', 2],
  ['so where is my driver', 'deliveries explain DELIVERY'],
  ['driver position', 'deliveries explain DELIVERY'],
  ['is anything wrong with the service or our webhooks', 'doctor'],
  ['which customers complained', 'disputes list'],
  ['what is still to be cooked', 'deliveries list --status not_picked_up'],
  ['cancellation fees this week by store', 'report this week --fees --by store'],
  ['what is the exit code for timeouts', 'help exit-codes', 2],
  ['a store has to cancel everything', 'deliveries cancel --where not_picked_up --store STORE --dry-run', 2],
  ['send with another courier', 'deliveries retry DELIVERY --not NAMES'],
  ['list of pickups for the kitchen', 'deliveries list --status not_picked_up --sort pickup'],
  ['add tip after delivery', 'deliveries edit DELIVERY --tip DOLLARS'],
  ['promised before 6pm', "deliveries list --active --filter 'promised_at < 6pm'"],
  ['connect a courier account', 'couriers connect COURIER'],
  ['how much is it to ship to the suburbs', 'deliveries quote --like ORDER'],
  ['kitchen is overwhelmed stop orders', 'stores pause STORE --until WHEN'],
  ['who signed for the parcel', 'proof DELIVERY'],
  ['tip to a driver', 'deliveries edit DELIVERY --tip DOLLARS'],
  ['cold food', 'deliveries dispute DELIVERY --reason TEXT'],
  ['check the age of the recipient', 'deliveries list --filter failure_reason=age_check_failed'],
  ['rate limits', 'serve --rate-limit COUNT'],
  ['returns today', 'deliveries list --status returned --ended today'],
  ['late today', 'deliveries list --late --period today'],
  ['spending per day', 'report week --by day', 2],
  ['compare today with yesterday until this time', 'report yesterday today --same-time'],
  ['how is today going against last monday', 'report yesterday today'],
  ['compare two days until this time monday', 'report monday today --same-time'],
  ['who is next', 'deliveries list --active --sort due', 2],
  ['average tip', 'report --fees'],
  ['which courier canceled most often', 'report --by courier --sort lost_tries'],
  ['which orders were sent twice', 'orders list --repeated --on today'],
  ['was an order delivered twice', 'orders list --repeated --on today'],
  [
    'How many orders did each store send yesterday, and how many of them came on time?',
    'report yesterday --by store',
  ],
  [
    'Whom must we call back: more than 20 minutes late, with name and phone',
    "deliveries list --late --filter 'late_minutes > 20' --show-pii",
  ],
  ['Give the driver of one order five dollars more', 'deliveries edit DELIVERY --tip DOLLARS'],
  [
    'Which deliveries failed as nobody was there',
    "deliveries list --filter 'failure_reason = recipient_unreachable'",
  ],
  ['where was it left, is there a picture', 'proof DELIVERY'],
  ['cheapest courier per delivered order', 'report --by courier --sort each:asc'],
  [
    'what did we pay yesterday altogether, and how much of it was for deliveries that came back',
    'report yesterday',
  ],
  ['how many of each dish went out yesterday', 'deliveries list --delivered yesterday --all --columns items'],
  ['how many tacos did we sell yesterday', 'deliveries list --delivered yesterday --all --columns items'],
  // As callers put it.
  ['my food never arrived, what happened to order 6017?', 'deliveries explain 6017', 3],
  [
    'the customer is not at home and the driver is waiting',
    'deliveries edit DELIVERY --dropoff-notes TEXT',
    3,
  ],
  ['customer moved to another address', 'deliveries quote --like DELIVERY --dropoff-address ADDRESS', 3],
  ['gate code has changed', 'deliveries edit DELIVERY --dropoff-notes TEXT', 3],
  ['phone number of the driver who has 6017', 'deliveries explain 6017 --show-pii', 3],
  ['can we speed up an order', 'deliveries edit DELIVERY --tip DOLLARS', 3],
  ['customer wants his food an hour later', "deliveries reschedule DELIVERY --dropoff-at '8pm'", 3],
  ['wrong food was delivered, we want money back', 'deliveries dispute DELIVERY --reason TEXT', 3],
  ['which orders are running late right now', 'deliveries list --late', 3],
  ['who got the wrong driver twice today', 'deliveries list --reassigned --period today', 3],
  ['was the order handed over personally', 'proof DELIVERY', 3],
  ['find the order of mrs muller', 'deliveries list --search TEXT', 3],
  ['what time will the pizza get to my customer', 'where DELIVERY', 3],
  ['put a reminder on an order for the next shift', 'deliveries note DELIVERY', 3],
  ['the parcel was damaged', 'deliveries dispute DELIVERY --reason TEXT', 3],
  ['print all phone numbers of late customers', 'deliveries list --late --show-pii', 3],
  // As chefs put it.
  [
    'everybody waiting at the counter',
    'deliveries list --status arrived_at_pickup --sort status_since:asc',
    3,
  ],
  ['when does the next courier come', 'deliveries list --status not_picked_up --sort pickup', 3],
  ['what do I have to cook next', 'deliveries list --status not_picked_up', 3],
  ['which dishes are in order 6017', 'orders get 6017', 3],
  ['too busy, no more orders for half an hour', 'stores pause STORE --until 30m', 3],
  ['we are open again', 'stores resume STORE', 3],
  ['what is planned for tomorrow noon', 'deliveries list --due tomorrow', 3],
  ['the bag is ready for pickup', 'deliveries list --status not_picked_up', 3],
  ['which orders still need a driver', 'orders list --waiting', 3],
  ['how long do drivers wait at the restaurant on average', 'report --by store --minutes', 3],
  ['who opened the store again', 'audit list', 3],
  // As accountants put it.
  ['how much have we spent on couriers this month', 'report this month', 3],
  [
    'list of all invoices of last month as a spreadsheet',
    "charges list --period 'last month' --all --output csv",
    3,
  ],
  ['average price per delivery by courier last week', 'report last week --by courier --sort each', 3],
  ['how much did canceled orders cost us', 'charges list --kind cancellation --all', 3],
  ['what share of orders was on time last week', 'report last week', 3],
  ['which store loses most money on returns', 'report --fees --by store', 3],
  ['total of tips for each driver in october', 'report october --by driver --sort tips', 3],
  ['revenue per day last week', 'report last week --by day --sort value', 3],
  ['which invoice lines were changed afterwards', 'charges list --kind adjustment', 3],
  ['what do we owe for yesterday', 'report yesterday', 3],
  ['value of the delivered goods by store', 'report --by store --columns store,delivered,delivered_value'],
  [
    'delivered value per courier yesterday',
    'report yesterday --by courier --columns courier,delivered,delivered_value',
  ],
  ['average minutes late by courier', 'report --by courier --sort delay'],
  ['money that each store got back', 'report --fees --by store'],
  ['are there any orders for sunday', 'deliveries list --due sunday', 3],
  ['list customers who ordered more than once', 'report --by customer', 3],
  // As drivers and their dispatchers put it.
  ['five drivers carried most', 'report --by driver --sort delivered --limit 5'],
  ['which 5 drivers brought the most last week', 'report last week --by driver --sort delivered --limit 5'],
  ['fastest from the pickup to the door', 'report --by courier --sort driving:asc'],
  ['slowest driver from pickup to arrival', 'report --by driver --sort driving'],
  ['we need another driver for tonight', 'drivers add NAME --phone-number PHONE', 3],
  ['how many deliveries are out at the moment', 'deliveries list --active', 3],
  ['which of my drivers is free', 'drivers list', 3],
  ['a driver called in sick', 'deliveries list --driver NAME --active', 3],
  ['send sam the link to his deliveries', 'drivers link DRIVER', 3],
  ['how many deliveries did each driver make today', 'report today --by driver', 3],
  ['the driver dropped it at the wrong door, is there a photo', 'proof DELIVERY', 3],
  ['stop using uber for our store', 'stores update STORE --provider NAMES', 3],
  // Numbers that are no references.
  [
    'what is on its way to ZIP code 60613 right now',
    "deliveries list --active --filter 'dropoff_address ~ 60613'",
  ],
  ['who lives at 60614', "deliveries list --filter 'dropoff_address ~ 60614'"],
  ['what is at 1200 Clark Street', "deliveries list --search '1200 clark street'"],
  ['orders to house number 4410', "deliveries list --search '4410'"],
  ['why did it take 120 minutes', 'deliveries explain DELIVERY', 4],
  ['all orders of 2026 with a tax', 'charges list --period month --all --output csv'],
  // As people put it first.
  [
    'which orders have an instruction for the driver',
    "deliveries list --filter 'dropoff_notes or pickup_notes' --columns ref,dropoff_notes",
  ],
  [
    'names and phones of everybody whose order a courier canceled today',
    'deliveries list --status provider_canceled --ended today --show-pii',
  ],
  [
    'orders of the last hour that have not arrived yet',
    "orders list --filter 'status != delivered' --period 'last hour'",
  ],
  ['how many orders of the last hour by store', 'report last hour --by store', 3],
  ['which orders had to be tried again', 'orders list --tries 2'],
  ['dearest delivery of yesterday', 'deliveries list --sort total_cost --limit 1 --period yesterday'],
  ['who brought order 6014 and how do I reach him', 'deliveries explain 6014 --show-pii'],
  ['everything about one order in one file', 'deliveries explain DELIVERY --show-pii -o table > order.txt'],
  ['is my order close', 'where DELIVERY'],
  ['who has not reported for a while', 'deliveries list --stuck'],
  ['change who picks up', 'deliveries assign DELIVERY --driver DRIVER'],
  ['all orders of october for the tax office', 'deliveries list --period october --all --output csv', 2],
  ['who ate the cost of the canceled ones', 'charges list --kind cancellation --all'],
  [
    'orders that nobody accepted today',
    "deliveries list --filter 'failure_reason = provider_refused' --period today",
    3,
  ],
])('help %s: %s', async (question, line, nth = 1) => {
  const { exit, stdout } = await waybill(['help', ...question.split(' '), '--json']);
  const found: { command: string; summary: string }[] = JSON.parse(stdout);
  const lines = found.map(({ command }) => command);
  expect(found.filter(({ summary }) => summary === '')).toEqual([]);
  expect([exit, lines.slice(0, nth)]).toEqual([0, expect.arrayContaining([`waybill ${line}`])]);
  for (const each of lines.filter((typed) => !isElsewhere.test(typed.replace(/'.*?'/g, ''))))
    expect([each, await refusal(each)]).toEqual([each, '']);
});

/** What is wrong with a line of help, told before its first request; its placeholders are values. */
async function refusal(line: string): Promise<string> {
  const words = shellWords(line).slice(1);
  const typed = words.map((word) => values[word] ?? word.replace(/^(?!GET|POST)[A-Z]{3,}$/, '1042'));
  const { exit, stderr } = await waybill(typed, { transport: emptyService });
  // What is left out is prompted for in a terminal.
  return exit !== 2 || /^(?:Error: )?(?:Missing|Cannot prompt)|^Missing/m.test(stderr) ? '' : stderr;
}

test.each([
  ['what does it cost to cancel an order'],
  ['how much do we pay for canceling'],
  ['which orders can still be canceled'],
  ['was my parcel stolen'],
  ['delete customer data'],
])('help %s: only lines that change nothing, or show the price', async (question) => {
  const { stdout } = await waybill(['help', ...question.split(' '), '--json']);
  const found: { command: string }[] = JSON.parse(stdout);
  const changing = found.filter(({ command }) => / (?:cancel|ship|dispatch|retry|erase)\b/.test(command));
  expect(changing.filter(({ command }) => !/ --(?:price|dry-run)\b/.test(command))).toEqual([]);
});

test('the caption of a line has the period of the question, as the line has', async () => {
  const { stdout } = await waybill(['help', ...'what came back this month'.split(' '), '--json']);
  const [first] = JSON.parse(stdout);
  expect(first).toEqual({
    command: "waybill deliveries list --status returned --ended 'this month'",
    summary: 'What came back this month, whenever it was ordered',
  });
});
