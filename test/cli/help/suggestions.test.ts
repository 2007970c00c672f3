import { expect, test } from 'vitest';
import { shellWords } from '../../../src/cli/kit/result/message.ts';
import { errorOf, waybill } from '../harness.ts';

const id = '01KJQ1M7VDW0EYRS5NSYJF40GX';

test.each([
  // A name without quotes, and two words as one argument (as a script quotes them).
  ['track Maria Khan', "waybill track 'Maria Khan'?"],
  ['drivers link Maria Khan', "waybill drivers link 'Maria Khan'?"],
  ['charges --store Loop yesterday', 'waybill charges list --store Loop --period yesterday'],
  ['charges list yesterday --store Loop', 'waybill charges list --period yesterday --store Loop?'],
  [
    'deliveries cancel zoe smith --price',
    "waybill deliveries cancel 'zoe smith' --price or waybill deliveries cancel zoe --reason smith?",
  ],
  ["'deliveries list' --late", 'waybill deliveries list --late?'],
  // Swapped words, one word, the singular, or a synonym of the noun.
  ['create order', 'waybill orders create'],
  ['show delivery', 'waybill deliveries get'],
  ['create order --pickup-name Joe', 'waybill orders create'],
  ['orders:create', 'waybill orders create'],
  [`get delivery dlv_${id}`, `waybill deliveries get dlv_${id}`],
  ['version', 'waybill --version'],
  // What is wrong with deliveries, as a verb or alone.
  ['stuck deliveries', 'waybill deliveries list --stuck'],
  ['show late', 'waybill deliveries list --late?'],
  ['list late', 'waybill deliveries list --late?'],
  ['list failed', 'waybill deliveries list --status failed?'],
  ['waiting', 'waybill orders list --waiting?'],
  ['today late', 'waybill deliveries list --late'],
  ['orders list --late', 'waybill deliveries list --late?'],
  // A period after a noun.
  ['orders today', 'waybill orders list --period today?'],
  ['charges yesterday', 'waybill charges list --period yesterday?'],
  ['deliveries last week', "waybill deliveries list --period 'last week'?"],
  ['deliveries list today', 'waybill deliveries list --period today?'],
  // The verb after what it is about.
  ['1042 cancel', 'waybill deliveries cancel 1042?'],
  ['deliveries 1042 cancel', 'waybill deliveries cancel 1042?'],
  ['deliveries 1042 --show-pii', 'waybill deliveries get 1042 --show-pii?'],
  // Numbers that are no references.
  ['refund 50 dollars', 'waybill deliveries dispute DELIVERY or waybill charges list --order DELIVERY?'],
  ['what goes to zip 60613', "waybill deliveries list --filter 'dropoff_address ~ 60613' or"],
  ['5 drivers on duty', 'waybill drivers list'],
  ['6088 reschedule', 'waybill deliveries reschedule 6088?'],
  ['stores Grill pause', 'waybill stores pause Grill?'],
  ['1042', 'waybill deliveries get 1042?'],
  // What people say for a command.
  ['deliveries info 1042', 'waybill deliveries get 1042?'],
  ['pause Grill 30m', 'waybill stores pause Grill --until 30m?'],
  ['stop Grill for 30m', 'waybill stores pause Grill --until 30m?'],
  ['close Grill until 9pm', 'waybill stores pause Grill --until 9pm?'],
  ['open Grill', 'waybill stores resume Grill?'],
  ['open', 'waybill deliveries list --status active?'],
  ['new order', 'waybill orders create?'],
  ['new delivery', 'waybill ship?'],
  ['new driver', 'waybill drivers add?'],
  ['send', 'waybill ship or waybill track DELIVERY?'],
  ['book courier', 'waybill ship?'],
  ['book', 'waybill ship?'],
  ['drivers on duty', 'waybill drivers list?'],
  ['drivers list --on-duty', 'waybill drivers list?'],
  ['unit 1042 4B', 'waybill deliveries edit 1042 --dropoff-unit 4B?'],
  ['failed', 'waybill deliveries list --status failed'],
  // A noun or a verb, a thing and a record.
  ['disputes open', 'waybill disputes list --status open or waybill deliveries dispute DELIVERY'],
  ['charges refunds', 'waybill charges list --kind refund?'],
  ['deliveries failed today', 'waybill deliveries list --status failed --period today?'],
  ['cancel store Loop', 'waybill deliveries cancel --where not_picked_up --store Loop --dry-run or'],
  ['cancel everything late', 'waybill deliveries cancel --where late --dry-run?'],
  ['notes today', 'waybill notes --since today?'],
  ['charges list --provider poolride', 'waybill report --fees --by courier'],
  ['charges list --search 5053', 'waybill charges list --order 5053?'],
  ['drivers near', 'waybill drivers list --for ORDER?'],
  ['drivers free', 'waybill drivers list?'],
  ['who is driving', 'waybill deliveries list --active --columns driver,driver_phone,ref,items?'],
  ['drivers on the road now', 'waybill deliveries list --active --columns driver,driver_phone,ref,items?'],
  ['couriers cheapest', 'waybill report --by courier --sort each:asc?'],
  ['money back', 'waybill charges list --kind refund?'],
  ['complaints today', 'waybill disputes list?'],
  ['hold 6020', 'waybill deliveries cancel 6020 or waybill deliveries reschedule 6020?'],
  ['send 6020 to Sam', 'waybill deliveries assign 6020 --driver Sam?'],
  ['send 6020 to the customer', 'waybill ship or waybill track 6020?'],
  ['stores disable Loop', 'waybill stores pause Loop?'],
  ['store hours', 'waybill stores pause STORE?'],
  ['which courier is cheapest', 'waybill report --by courier --sort each:asc?'],
  ['how do I get json', 'waybill deliveries list --json or waybill help output?'],
  ['show only ids', 'waybill deliveries list --output id?'],
  ['release 6020', 'waybill ship 6020 or waybill deliveries retry 6020 --max-cost DOLLARS?'],
  ['hold everything', 'waybill stores pause STORE?'],
  ['add note to 6020', 'waybill deliveries note 6020?'],
  ['add tip to 6020', 'waybill deliveries edit 6020 --tip VALUE?'],
  ['change phone of 6020', 'waybill deliveries edit 6020 --dropoff-phone-number VALUE?'],
  ['send link to 6020', 'waybill track 6020?'],
  ['give 6020 to Sam', 'waybill deliveries assign 6020 --driver Sam?'],
  ['copy 6020 to another address', 'waybill ship --like 6020 --dropoff-address ADDRESS?'],
  ['deliveries quote 6020', 'waybill deliveries quote --like 6020?'],
  ['orders for tomorrow', 'waybill deliveries list --due tomorrow'],
  // Commands of other programs, and words that callers use.
  ['demo', 'waybill start'],
  ['charges refund 5017 3.50', 'waybill deliveries dispute 5017 or waybill charges list --order 5017?'],
  ['disputes create 5017 now', 'waybill deliveries dispute 5017?'],
  ['couriers coming', 'waybill deliveries list --status not_picked_up --sort pickup?'],
  ['couriers coming to Loop', 'waybill deliveries list --status not_picked_up --sort pickup?'],
  ['orders list --without-driver', 'waybill orders list --waiting?'],
  ['deliveries list --unassigned', 'waybill orders list --waiting?'],
  ['orders list --declined', "waybill deliveries list --filter 'failure_reason = provider_refused'?"],
  ['deliveries list --declined', "waybill deliveries list --filter 'failure_reason = provider_refused'?"],
  ['deliveries edit 6010 --dropoff-at 7pm', 'waybill deliveries reschedule 6010 --dropoff-at 7pm?'],
  ['deliveries list --took-over 30m', "waybill deliveries list --filter 'minutes > 30m'?"],
  [
    'report --status canceled',
    'waybill report --by status,store or waybill deliveries list --status canceled?',
  ],
  ['refund 1042', 'waybill deliveries dispute 1042 or waybill charges list --order 1042?'],
  ['uncancel 6088', 'waybill deliveries retry 6088 --max-cost DOLLARS?'],
  ['undo 6088', 'waybill deliveries retry 6088 --max-cost DOLLARS?'],
  ['deliveries restore 6088', 'waybill deliveries retry 6088 --max-cost DOLLARS?'],
  ['orders reopen 6088', 'waybill deliveries retry 6088 --max-cost DOLLARS?'],
  ['postpone 6088', 'waybill deliveries reschedule 6088?'],
  ['reschedule 6088 8pm', 'waybill deliveries reschedule 6088 --dropoff-at 8pm?'],
  ['move 6088 tomorrow 6pm', "waybill deliveries reschedule 6088 --dropoff-at 'tomorrow 6pm'?"],
  ['dispute 5001 food was cold', "waybill deliveries dispute 5001 --reason 'food was cold'?"],
  ['list --ref 6001', 'waybill deliveries list --ref 6001 or'],
  ['tip 6088 5', 'waybill deliveries edit 6088 --tip 5?'],
  ['refunds', 'waybill charges list --kind refund?'],
  ['slow', 'waybill deliveries list --late?'],
  ['late Loop Pizza', "waybill deliveries list --late --search 'Loop Pizza'?"],
  ['canceled at Loop Pizza', "waybill deliveries list --status canceled --search 'Loop Pizza'?"],
  ['late Loop Pizza yesterday', "waybill deliveries list --late --period yesterday --search 'Loop Pizza'?"],
  ['refunds Loop Pizza', "waybill charges list --kind refund --store 'Loop Pizza'?"],
  ['late orders', 'waybill deliveries list --late?'],
  ['money', 'waybill report or waybill charges list --period today?'],
  ['unassigned', 'waybill orders list --waiting?'],
  ['returns', 'waybill deliveries list --status enroute_to_return,returned?'],
  ['lost 5001', 'waybill deliveries dispute 5001?'],
  ['pause Grill', 'waybill stores pause Grill?'],
  ['deliveries reschedule 6088 8pm', 'waybill deliveries reschedule 6088 --dropoff-at 8pm'],
  ['deliveries dispute 5001 cold', 'waybill deliveries dispute 5001 --reason cold'],
  ['readdress 6088', 'waybill deliveries cancel 6088 or waybill ship --like 6088?'],
  ['deliveries notify 6088', 'waybill track 6088 --text?'],
  ['deliveries send-link 6088', 'waybill track 6088 --text?'],
  ['audit 6088', 'waybill audit list --record 6088?'],
  ['log 6029', 'waybill deliveries explain 6029?'],
  ['queue', 'waybill today?'],
  ['alerts', 'waybill today?'],
  ['show 6088', 'waybill deliveries get 6088?'],
  ['describe 6088', 'waybill deliveries get 6088?'],
  ['deliveries delete 6088', 'waybill deliveries cancel 6088?'],
  ['deliveries resend 6088', 'waybill deliveries retry 6088 --max-cost DOLLARS?'],
  ['orders ship 6088', 'waybill ship 6088?'],
  ['orders upload day.csv', 'waybill orders import day.csv?'],
  ['sandbox simulate 6088 no_driver', 'waybill sandbox scenarios?'],
  ['webhooks register https://shop.example', 'waybill webhooks create https://shop.example?'],
  ['auth login', 'waybill login?'],
  ['gdpr', 'waybill help operating personal?'],
  ['upcoming', 'waybill deliveries list --active --sort due?'],
  ['login https://deliveries.example', '--base-url https://deliveries.example'],
  // An extra word.
  ['orders get ord_1 --json id,status', '--json=id,status'],
  ['deliveries list 1042', 'waybill deliveries get 1042 or waybill deliveries list --search 1042'],
  ['charges list 1042', 'waybill charges list --order 1042'],
  // Commands of gh, kubectl, docker, stripe and aws.
  ['get deliveries', 'waybill deliveries list?'],
  ['get orders', 'waybill orders list?'],
  ['ps', 'waybill deliveries list --status active?'],
  ['s3 ls', 'waybill deliveries get s3?'],
  ['apply -f order.json', 'waybill orders create --file FILE?'],
  ['customers list', 'waybill report --by customer?'],
  ['providers list', 'waybill couriers list?'],
  ['trigger delivery.updated', 'waybill webhooks test?'],
  ['logs tail', 'waybill events tail?'],
  ['auth status', 'waybill whoami?'],
  ['config use-context staging', 'waybill profiles use staging?'],
  // A verb that a noun does not have.
  ['couriers show', 'waybill couriers list?'],
  ['config view', 'waybill config list?'],
  ['stop 6017', 'waybill deliveries cancel 6017?'],
  ['deliveries stop 6017', 'waybill deliveries cancel 6017?'],
  ['orders stop 6017', 'waybill orders cancel 6017?'],
  ['deliveries finish 6017', 'waybill deliveries report 6017 STATUS?'],
  ['orders find Yuki', 'waybill orders get Yuki or waybill orders list --search Yuki?'],
  ['orders place', 'waybill orders create?'],
  ['routes dispatch 6017', 'waybill dispatch 6017?'],
  ['quote 6017', 'waybill deliveries quote --like 6017?'],
  // Only an id.
  [`dlv_${id}`, `waybill deliveries get dlv_${id}`],
  [`orders ord_${id}`, `waybill orders get ord_${id}`],
  // Under another noun, or none.
  [`routes dispatch rte_${id}`, `waybill dispatch rte_${id}`],
  [
    'deliveries search Joe Diner',
    "waybill deliveries get 'Joe Diner' or waybill deliveries list --search 'Joe Diner'?",
  ],
  ['webhooks trigger delivery.updated', 'waybill webhooks test?'],
  ['orders dispatch rte_01ABCDE', 'waybill dispatch rte_01ABCDE?'],
  ['webhooks disable whe_1', 'waybill webhooks update whe_1 --disable?'],
  ['orders edit --dropoff-notes Ring 1042', 'waybill deliveries edit 1042 --dropoff-notes Ring?'],
  ['orders edit --dropoff-notes=Ring #1042 --yes', "waybill deliveries edit '#1042' --dropoff-notes=Ring?"],
  // A word behind a flag may be its value.
  ['orders edit --now 1042', 'waybill deliveries edit ORDER?'],
  ['charges list --refunds', 'waybill charges list --kind refund?'],
  ['deliveries list --last 5', '--limit?'],
  ['orders explain 1042', 'waybill orders get 1042'],
  ['orders delete 1042', 'waybill orders cancel 1042?'],
  ['orders help', 'waybill help orders'],
  ['advance', 'waybill sandbox advance'],
  // Misspelled.
  ['ordrs list', 'orders'],
  ['wheer 1042', 'where'],
  ['keys lst', 'list'],
  ['help outptu', 'output'],
  // Flags, including names from other programs.
  ['keys list --limt 3', '--limit'],
  ['--versoin', '--version'],
  ['orders list --hepl', '--help'],
  ['keys list --verbose', '--debug'],
  ['keys list --no-color', '--color never'],
  ['keys list --api-key wb_test_x', '--api-key-file'],
  ['report --dollars', '--no-raw'],
  ['webhooks list --failed', 'waybill webhooks attempts --failed'],
  // Values of an enumeration.
  ['deliveries list --status deliverd', 'delivered'],
  ['orders list --filter !delivered_at', 'status? It can be delivered.'],
  ['deliveries list --status late', '--late'],
  ['events list --type delivery.updatd', 'delivery.updated'],
  // Values that only the service or the settings know.
  ['sandbox provider swiftl --down', 'swiftly'],
  ['profiles use sandbx', 'sandbox'],
])('%s: did you mean %s?', async (line, meant) => {
  const { stderr, stdout } = await waybill([...shellWords(line), '--json']);
  const error = errorOf(stderr);
  expect({ stdout, hint: error.hint }).toEqual({
    stdout: '',
    hint: expect.stringContaining(`Did you mean ${meant}`),
  });
  expect(error.exit).toBe(error.code === 'record_not_found' || error.code === 'profile_not_found' ? 5 : 2);
});

test.each([
  // Spelling, another noun's verb, and what people call it: none leads to a command that cannot be undone.
  ['restor copy.db'],
  ['logut'],
  ['deliveries erase 1042'],
  ['erase 1042'],
  ['delete 1042'],
  ['remove 1042'],
  ['delete store str_1'],
  ['routes cancel rte_1'],
  ['stores disable Loop'],
  ['sandbox rest'],
  ['revoke key_1'],
  ['reset'],
])('%s suggests nothing that deletes, replaces or ends something', async (line) => {
  const { stderr } = await waybill([...line.split(' '), '--json']);
  const { code, hint, next } = errorOf(stderr);
  expect(code).toBe('unknown_command');
  const offered = JSON.stringify([hint, next]);
  expect(offered).not.toMatch(/\b(restore|erase|logout|reset|delete|remove|revoke|disable)\b/);
});

test.each([
  ['deliveries list \u2014status failed', '\u2014status', '--status'],
  ['today \u2013watch', '\u2013watch', '--watch'],
  ['ship 1042 \u2014max-cost=9', '\u2014max-cost', '--max-cost'],
])('%s: a long dash in the place of two hyphens', async (line, typed, meant) => {
  const { exit, stderr } = await waybill(line.split(' '));
  expect([exit, stderr]).toEqual([
    2,
    expect.stringContaining(`"${typed}" begins with a long dash. Type two hyphens: ${meant}`),
  ]);
});

test.each([
  ['charges --all', 'waybill charges list --all?'],
  ['charges --yesterday --all', 'waybill charges list --period yesterday --all?'],
  ['deliveries --last-week', "waybill deliveries list --period 'last week'?"],
  ['events --delivery 6088', 'waybill events list --delivery 6088?'],
  ['deliveries cancel --id 6088 --max-fee 0', 'waybill deliveries cancel 6088 --max-fee 0'],
  ['deliveries get --ref 6088', 'waybill deliveries get 6088'],
  ['deliveries wait --order 6088', 'waybill deliveries wait 6088'],
  ['ship --reference 6088', '--ref?'],
  ['ship --to Wacker', '--dropoff-address?'],
  ['ship 6088 --budget 9', '--max-cost?'],
  ['deliveries wait 6088 --for delivered', '--until?'],
  ['deliveries list --page 2', 'waybill deliveries list --all   (if'],
  ['deliveries list --fields id,status', 'waybill deliveries list --json=id,status   (if'],
  ['deliveries list --in-transit', '--status in_transit   (if'],
  ['deliveries list --undelivered', '--active   (if'],
  ['deliveries list --pending', '--status not_picked_up   (if'],
  ['deliveries list --top 5', 'waybill deliveries list --limit 5   (if'],
  ['deliveries list --limit all', 'Did you mean --all?'],
  ['deliveries list --before noon', '--until noon   (if'],
  ['deliveries list --order 6017', 'waybill deliveries list --ref 6017   (if'],
  ['deliveries reschedule 6017 --by 1h', "waybill deliveries reschedule 6017 --dropoff-at 'in 1h'"],
  ['deliveries list --sort price --desc', '--sort COLUMN:asc, or COLUMN:desc'],
  ['deliveries list --late true', 'stands alone, or is left out'],
  ['orders list --courier swiftly', 'waybill deliveries list --provider swiftly?'],
  ['deliveries edit 6017 --dropoff-at 8pm', 'waybill deliveries reschedule 6017 --dropoff-at 8pm?'],
  ['deliveries edit 6017 --driver Sam', 'waybill deliveries assign 6017 --driver Sam?'],
  ['deliveries assign 6017 Sam', 'waybill deliveries assign 6017 --driver Sam?'],
  ['drivers assign 6017 Sam', 'waybill deliveries assign 6017 --driver Sam?'],
  ['notes add 6017 hello there', "waybill deliveries note 6017 'hello there'?"],
  ['notes 6017', 'waybill deliveries note 6017?'],
  ['webhooks pause whe_1', 'waybill webhooks update whe_1 --disable?'],
  ['batches list --today', "waybill batches list --filter 'created = today'?"],
  ['events list --order 6017', 'waybill events list --delivery 6017   (if'],
  ['charges list --type refund', 'waybill charges list --kind refund   (if'],
  ['deliveries retry --failed', 'waybill deliveries retry --where failed   (if'],
  ["stores update Loop --notez 'at the back'", "waybill stores update Loop --notes 'at the back'   (if"],
  ['webhooks create https://x.example --event order.failed', '--events order.failed   (if'],
  ['deliveries edit 6017 --address X', 'An address cannot be changed once'],
  ["stores stop 'Loop Pizza'", "waybill stores pause 'Loop Pizza'?"],
  ['orders list --no-phone', "waybill orders list --filter '!phone'?"],
  ['deliveries list --without-unit --on today', "waybill deliveries list --filter '!unit' --on today?"],
  ['deliveries list --zip 60614 --all', "waybill deliveries list --filter 'zip = 60614' --all?"],
  ['deliveries list --vehicle=bike', "waybill deliveries list --filter 'vehicle ~ bike'?"],
  ['deliveries list --max-minutes 30', "waybill deliveries list --filter 'minutes <= 30'?"],
  ['deliveries list --picked-up today', "waybill deliveries list --filter 'picked_up = today'?"],
  ['orders list --item pizza', "waybill orders list --filter 'item ~ pizza'?"],
  ['deliveries list --at-store-minutes', '--sort at_store_minutes?'],
  ['report --tips --by driver', '--sort tips?'],
  ['report --zip 60614', '--by zip?'],
  ['cancel 6088 --cost', '--price?'],
  ['track 6088 --sms', '--text?'],
  ['couriers disable uber-direct --until 9pm', 'waybill couriers enable uber-direct'],
  ['deliveries edit 6088 --house-number 12', 'An address cannot be changed once'],
  ['deliveries list --next', '--sort due?'],
  ['deliveries list --at-store', '--status arrived_at_pickup?'],
  ['charges list --sum', 'waybill report --fees?'],
  ['webhooks attempts --status failed', '--failed, --succeeded'],
  ['charges list --failed', 'waybill deliveries list --status failed?'],
  ['report --by month', "waybill report 'last month' month"],
  ['report --tax', 'waybill report --fees'],
  ['charges list --tax', 'waybill report --fees'],
  ['deliveries list --hour 18', 'waybill report --by hour?'],
  ['explain 6088 --cost', 'waybill charges list --delivery 6088?'],
  ['drivers list --at-store', 'waybill deliveries list --status arrived_at_pickup?'],
  ['deliveries get --active', 'waybill deliveries list --active?'],
  ['orders get --today', 'waybill orders list --period today?'],
  ['stores pause Loop --from 6pm', 'at that time: waybill stores pause Loop'],
  ['deliveries list --twice', 'waybill orders list --repeated --on today?'],
  ['sandbox advance 20m', 'waybill sandbox advance --by 20m?'],
])('%s: %s is offered for a flag or an argument that there is not', async (line, offered) => {
  const { exit, stderr } = await waybill(shellWords(line));
  expect([exit, stderr]).toEqual([2, expect.stringContaining(offered)]);
});

test.each([
  ['help ship tip', '  --tip DOLLARS'],
  ['help cancel fee', '  --max-fee DOLLARS'],
  ['help exit-codes duplicate_ref', '  6  duplicate_ref'],
  ['help support-desk cancel', 'Cancel, edit, retry, dispute'],
  ['help deliveries list columns', 'Columns (--columns, --filter, --sort)'],
  ['help report store', 'Columns (--columns)\n  store, store_id, store_name'],
  ['help report minutes', 'MINUTES is the average of the delivered ones from the creation'],
  ['help report try', 'LOST TRIES'],
  ['help report by', 'waybill report week --by courier'],
  ['help report cancelled', 'canceled'],
  ['help orders import exit', 'Exit codes'],
  ['help deliveries list try', 'The tries of an order'],
  ['help deliveries list assigned', 'driver_assigned'],
])('%s: what it says about a word, and nothing else', async (line, part) => {
  const words = line.split(' ');
  const some = await waybill(words);
  const pages = [await waybill(words.slice(0, -1)), await waybill([...words.slice(1, -1), '--help'])];
  const whole = Math.max(...pages.map(({ stdout }) => stdout.length));
  expect(some.stdout).toContain(part);
  expect(some.stdout.length).toBeLessThan(whole / 3);
  const none = await waybill([...words.slice(0, -1), 'xyzzy']);
  expect([none.exit, none.stderr]).toEqual([2, expect.stringContaining('says nothing about "xyzzy"')]);
});

/** What people type for a command that there is not, with words of the answer. Wrong values are in `wrong-inputs`. */
test.each<[line: readonly string[], answer: string]>([
  [['restore', '6088'], 'waybill deliveries retry 6088 --max-cost DOLLARS'],
  [['deliveries', 'uncancel', '6088'], 'A canceled delivery stays canceled'],
  [
    ['orders', 'reopen', '6088'],
    'sends its order again. Did you mean waybill deliveries retry 6088 --max-cost DOLLARS?',
  ],
  [['remove', 'driver', 'Sam'], 'Choose from: add, list,'],
  [['deliveries', 'refund', '5017', '--amount', '3.50'], 'waybill pays nothing back to recipients'],
  [['charges', 'refund', '5017', '3.50'], '`disputes resolve --amount` says how much'],
  [['call', '6029'], 'waybill deliveries explain 6029'],
  [['receipt', '1042'], 'waybill deliveries explain 1042'],
  [['text', '6029'], 'waybill track 6029'],
  [['deliveries', 'change', '6088'], 'waybill deliveries edit 6088'],
  [['deliveries', 'hold', '6088'], 'waybill deliveries reschedule 6088'],
  [['find', 'late'], 'waybill deliveries list --late'],
  [['cancel', 'today'], 'waybill deliveries list --period today'],
])('%j is answered with %s', async (line, answer) => {
  const { stdout, stderr } = await waybill(line, { tty: false });
  expect(stdout + stderr).toContain(answer);
  expect(stderr).not.toMatch(/\b(erase|logout|reset)\b/);
});

test('a verb of several nouns lists them', async () => {
  const { stderr, exit } = await waybill(['list']);
  expect(exit).toBe(2);
  expect(stderr).toContain('waybill orders list or waybill routes list');
});

test('without a similar word the list of commands is suggested', async () => {
  const { stderr } = await waybill(['frobnicate']);
  expect(stderr).not.toContain('Did you mean');
  expect(stderr).toContain('waybill -h');
  expect(stderr).toContain('waybill find frobnicate   (search the deliveries for it)');
});

test.each([
  [['dispatch', '--route-id', 'rte_1', '--cheapest'], 'ROUTE', ['dispatch', 'rte_1', '--cheapest']],
  [['orders', 'get', '--order-id=ord_1'], 'ORDER', ['orders', 'get', 'ord_1']],
  [['deliveries', 'get', '--deliveryid', 'dlv_1'], 'DELIVERY', ['deliveries', 'get', 'dlv_1']],
  [['routes', 'create', '--order-ids', 'ord_1', 'ord_2'], 'ORDER', ['routes', 'create', 'ord_1', 'ord_2']],
  [['webhooks', 'get', '--webhook-endpoint-id', 'whe_1'], 'ENDPOINT', ['webhooks', 'get', 'whe_1']],
  [['dispatch', '--cheapest', '--route-id'], 'ROUTE', ['dispatch', '--cheapest', 'ROUTE']],
])('%j: a flag named like an argument suggests the argument', async (line, argument, meant) => {
  const error = errorOf((await waybill([...line, '--json'])).stderr);
  expect(error).toMatchObject({
    code: 'unknown_flag',
    param: line.find((word) => /id/.test(word))?.split('=')[0],
  });
  expect(error.hint).toContain(`${error.param} is the argument ${argument}`);
  expect(error.next).toMatchObject([{ args: [...meant, '--json'] }, { when: 'see its flags' }]);
});

test.each([
  [['60606'], '60606'],
  [[], 'VALUE'],
])(
  'an address that cannot be edited says what to do instead, after both prices: %j',
  async (typed, value) => {
    const line = ['deliveries', 'edit', '#1042', '--dropoff-address', ...typed];
    const { exit, stderr } = await waybill(line);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('An address cannot be changed once')]);
    const lines = [...stderr.matchAll(/^ {2}waybill (.*?) {3}/gm)].map(([, command]) => command);
    const copy = `--like '#1042' --dropoff-address ${value}`;
    expect(lines.slice(0, 4)).toEqual([
      "deliveries cancel '#1042' --price",
      `deliveries quote ${copy}`,
      "deliveries cancel '#1042'",
      expect.stringContaining(`ship ${copy}`),
    ]);
  },
);

test.each(['stores create --id X', 'orders list -n 5', 'deliveries list -v', 'deliveries list -j'])(
  '%s: a short unknown flag is not taken for another short one',
  async (line) => {
    const { stderr } = await waybill([...line.split(' '), '--json']);
    expect(errorOf(stderr).code).toBe('unknown_flag');
    expect(errorOf(stderr)).not.toHaveProperty('hint');
  },
);

test('help about an unknown word names the topics beside the commands', async () => {
  const { stderr } = await waybill(['help', 'xyzzy', '--json']);
  expect(errorOf(stderr)).toMatchObject({
    message: 'No help found for "xyzzy".',
    choices: expect.arrayContaining(['orders', 'exit-codes', 'getting-started']),
  });
});

test('help about an unknown command of a group names the commands of the group', async () => {
  const { stderr } = await waybill(['help', 'events', 'xyzzy', '--json']);
  expect(errorOf(stderr)).toMatchObject({ message: 'There is no command "waybill events xyzzy".' });
});

test('an unknown flag lists the flags of the command, unless they are many, and its help', async () => {
  const { stderr } = await waybill(['ship', '--set', 'ref=1']);
  expect(stderr).toBe(
    'Error: There is no flag --set for this command.\n  waybill ship -h   (see its flags)\n',
  );
  const { choices } = errorOf((await waybill(['charges', 'list', '--xyzzy', '--json'])).stderr);
  expect(choices).toContain('--delivery');
  expect(choices).not.toContain('--output');
  const { next, ...suggested } = errorOf(
    (await waybill(['charges', 'list', '--ref', '1042', '--json'])).stderr,
  );
  expect(suggested).not.toHaveProperty('choices');
  const failed = await waybill(['deliveries', 'list', '--failed', '--json=id']);
  expect(errorOf(failed.stderr).next).toMatchObject([
    { args: ['deliveries', 'list', '--status', 'failed', '--json=id'] },
    { command: 'waybill deliveries list -h' },
  ]);
  expect(next).toMatchObject([
    { args: ['charges', 'list', '--delivery', '1042', '--json'] },
    { command: 'waybill charges list -h', when: 'see its flags' },
  ]);
  const period = await waybill(['deliveries', 'list', '--from', '11:00', '--to=14:00', '--json']);
  expect(errorOf(period.stderr).next).toMatchObject([
    { args: ['deliveries', 'list', '--since', '11:00', '--until=14:00', '--json'] },
    { command: 'waybill deliveries list -h' },
  ]);
  const confirmed = await waybill(['deliveries', 'cancel', '1042', '--force', '--json']);
  expect(errorOf(confirmed.stderr).next).toMatchObject([{ command: 'waybill deliveries cancel -h' }]);
  const retry = await waybill(['deliveries', 'retry', '1042', '--max-price-cents', '--json']);
  expect(errorOf(retry.stderr).next).toMatchObject([{ command: 'waybill deliveries retry -h' }]);
  const driver = await waybill(['report', '--since', 'yesterday', '--driver', 'Diego', '--json']);
  expect(errorOf(driver.stderr).next).toMatchObject([{ command: 'waybill report -h' }]);
  const status = await waybill(['charges', 'list', '--period', 'yesterday', '--status', 'failed', '--json']);
  expect(errorOf(status.stderr).hint ?? '').not.toContain('--until');
  expect(errorOf(status.stderr).next).toMatchObject([{ command: 'waybill charges list -h' }]);
});

test.each([
  [
    ['deliveries', 'list', '--unchanged-since'],
    '--unchanged-since WHEN: Only active deliveries without a change for this long, such as 20m.',
  ],
  [['deliveries', 'list', '--provider'], '--provider NAMES: Filter by provider.'],
])('%j: the intended value is suggested', async (line, meaning) => {
  const { exit, stderr } = await waybill(line);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`needs a value.\n${meaning}\n`)]);
});
