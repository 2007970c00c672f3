/** Words that people type for commands, and the commands that are meant by them. */
import { periodWords } from './guess-report.ts';

/** Commands that delete, replace or end something are never suggested: a suggestion is run without a second look. */
export const neverSuggested: ReadonlySet<string> = new Set([
  ...['restore', 'erase', 'logout', 'reset', 'delete', 'remove', 'revoke', 'rotate', 'clean', 'disconnect'],
]);

/** The words of a sentence in which what follows the word stands as X, or the words as they are without one. */
export type Sentence = string | readonly string[];

const retry = 'deliveries retry X';
const again = ['deliveries cancel X', 'ship --like X'];
const explain = 'deliveries explain X';
const search = ['deliveries get X', 'deliveries list --search X'];
const link = 'track X';
const active = 'deliveries list --status active';
const start = ['start', 'login'];

/** The commands for words that people type. A key of two words is the second one under the first, a noun. */
export const said: Readonly<Record<string, Sentence>> = {
  ...sameFor(retry, ['undo', 'uncancel', 'reopen', 'revive', 'redo', 'deliveries restore', 'orders restore']),
  ...sameFor(retry, ['redispatch', 'reship', 'reattempt', 'deliveries resend']),
  ...sameFor('deliveries reschedule X --dropoff-at REST', [
    'postpone',
    'delay',
    'move',
    'change time',
    'time',
  ]),
  ...sameFor(again, ['readdress', 'reroute', 'change address']),
  ...sameFor(
    ['deliveries cancel X', 'deliveries reschedule X --dropoff-at REST'],
    ['hold', 'orders hold', 'deliveries hold'],
  ),
  ...sameFor(['ship X', 'deliveries retry X'], ['release', 'unhold']),
  ...sameFor('deliveries edit X --dropoff-phone-number REST', ['change phone', 'change number']),
  ...sameFor('deliveries edit X --dropoff-name REST', ['change name']),
  ...sameFor('deliveries assign X --driver REST', [
    ...['give', 'hand', 'handover', 'reassign', 'drivers assign'],
  ]),
  ...sameFor('ship --like X --dropoff-address ADDRESS', ['copy', 'duplicate', 'clone']),
  ...sameFor(['deliveries explain X', 'deliveries quote --like X'], ['price']),
  ...sameFor('deliveries quote --like X', ['quote', 'estimate']),
  send: ['ship', link],
  ...sameFor('deliveries retry X --not REST', ['switch', 'switch courier', 'orders switch']),
  ...sameFor('couriers connect X', ['connect', 'couriers account', 'couriers add']),
  ...sameFor('deliveries list --filter failure_reason=age_check_failed', [
    ...['age', 'age check', 'id check', 'alcohol', 'underage'],
  ]),
  'tip after': 'deliveries edit X --tip REST',
  'stop orders': 'stores pause X --until REST',
  ...sameFor('where X', ['where order']),
  ...sameFor('proof X', ['signed']),
  'send TO': 'deliveries assign X --driver REST',
  json: ['deliveries list --json', 'help output'],
  ids: 'deliveries list --output id',
  ...sameFor('ship', ['book', 'couriers call', 'couriers order']),
  ...sameFor(link, ['link', 'share', 'tracking']),
  ...sameFor('track X --text', ['notify', 'send-link', 'text', 'sms', 'message', 'msg', 'whatsapp', 'tell']),
  ...sameFor('routes get X', ['distance', 'miles', 'far', 'mileage']),
  ...sameFor('deliveries list --status not_picked_up --sort pickup', [
    ...['coming', 'couriers coming', 'couriers arriving', 'drivers coming', 'drivers arriving'],
  ]),
  ...sameFor('deliveries edit X --dropoff-notes REST', ['neighbor', 'neighbour', 'doorstep', 'instructions']),
  ...sameFor('deliveries list --status not_picked_up', ['ready', 'pickup', 'pickups', 'cook', 'cooked']),
  ...sameFor('deliveries list --sort price', ['expensive', 'dearest', 'costliest']),
  ...sameFor('charges list --kind adjustment', ['overcharged', 'surcharge', 'surcharges', 'adjustments']),
  ...sameFor(['deliveries retry X', 'orders create --like X'], ['again', 'repeat', 'resend', 'reorder']),
  ...sameFor('deliveries list', ['last', 'latest', 'newest', 'recent']),
  charges: 'charges list --order X',
  tomorrow: 'deliveries list --due tomorrow',
  callbacks: 'notes --tag callback',
  map: 'board',
  owed: 'charges list',
  ...sameFor(explain, [
    'who',
    'why',
    'what',
    'when',
    'how',
    'status',
    'eta',
    'history',
    'timeline',
    'log',
    'logs',
  ]),
  ...sameFor(explain, [
    'locate',
    'location',
    'pin',
    'driver',
    'courier',
    'cost',
    'fee',
    ...['call', 'ring', 'phone', 'contact', 'address', 'receipt', 'invoice', 'bill'],
  ]),
  ...sameFor('proof X', ['photo', 'picture', 'signature']),
  ...sameFor('deliveries note X', ['comment', 'remark']),
  ...sameFor('whoami', ['mode', 'account', 'me']),
  ...sameFor('doctor', [
    'health',
    'healthy',
    'working',
    'broken',
    'outage',
    'up',
    'down',
    'reachable',
    'ping',
  ]),
  ...sameFor('drivers list --for X', ['closest', 'nearest', 'near', 'nearby']),
  ...sameFor('charges list --since today --all', ['spent', 'spend', 'spending', 'total', 'totals', 'costs']),
  ...sameFor(search, ['search', 'deliveries find', 'lookup']),
  ...sameFor('deliveries get X', ['show', 'view', 'describe', 'details', 'info', 'inspect']),
  ...sameFor(active, ['open', 'active']),
  'open NAME': 'stores resume X',
  ...sameFor(
    'drivers list',
    ['on', 'off', 'free', 'available', 'idle', 'busy', 'online', 'out', 'where'].map(
      (word) => `drivers ${word}`,
    ),
  ),
  duty: 'drivers list',
  ...sameFor('deliveries list --active --columns driver,driver_phone,ref,items', [
    ...['driving', ...['driving', 'now', 'active', 'phone', 'phones'].map((word) => `drivers ${word}`)],
  ]),
  ...sameFor('stores list', ['stores paused', 'stores closed', 'stores open', 'paused']),
  ...sameFor('report --by courier --sort each', ['couriers compare', 'couriers prices']),
  'couriers cheapest': 'report --by courier --sort each:asc',
  'couriers fastest': 'report --by courier --sort minutes:asc',
  // What is simulated is not connected, and cannot be disabled.
  ...sameFor(
    ['stores update STORE --provider NAMES', 'couriers disable X'],
    ['couriers block', 'couriers stop', 'couriers pause', 'block'],
  ),
  ...sameFor('couriers check', ['couriers down', 'couriers health', 'couriers status']),
  ...sameFor('disputes list', ['disputes', 'complaints']),
  claims: ['disputes list', 'notes'],
  'disputes open': ['disputes list --status open', 'deliveries dispute X --reason TEXT'],
  'stores cancel': ['deliveries cancel --where not_picked_up --store X --dry-run', 'stores pause X'],
  'webhooks broken': 'webhooks attempts --failed',
  ...sameFor('deliveries edit X --dropoff-unit REST', ['unit', 'apartment', 'apt']),
  ...sameFor('deliveries list --active --sort due', [
    ...['upcoming', 'next', 'arriving', 'arrivals', 'arrives', 'due', 'deliveries next', 'soon'],
  ]),
  ...sameFor('deliveries list --driver X --active', ['carrying', 'carries', 'drivers deliveries']),
  ...sameFor('deliveries list --search X', ['customer', 'customers', 'client', 'email', 'recipient', 'name']),
  ...sameFor('orders attempts X', ['tries', 'deliveries tries']),
  ...sameFor('deliveries list --reassigned --period today', ['reassigned', 'reassignments']),
  ...sameFor('deliveries list --status canceled', ['cancelled', 'cancellations']),
  ...sameFor('report --by store --sort minutes', ['stores report', 'stores stats']),
  ...sameFor('report --by courier', ['couriers report', 'couriers stats']),
  ...sameFor('report --by driver', ['drivers report', 'drivers stats']),
  ...sameFor('report --by reason', ['refused', 'rejected', 'declined']),
  ...sameFor('report', ['count', 'counts']),
  tips: 'charges list --kind tip',
  ...sameFor(
    ['charges list --period month --all --output csv', 'deliveries list --period month --all --output csv'],
    ['csv', 'excel', 'spreadsheet', 'accountant', 'bookkeeping', 'charges export', 'deliveries export'],
  ),
  export: [
    'charges list --period month --all --output csv',
    'deliveries list --period month --all --output csv',
    'admin export',
  ],
  ...sameFor('today', ['queue', 'problems', 'attention', 'alerts', 'issues']),
  ...sameFor('help operating personal', ['erase', 'forget', 'anonymize', 'gdpr', 'privacy', 'admin forget']),
  ...sameFor('sandbox scenarios', ['simulate', 'sandbox simulate', 'sandbox fail']),
  ...sameFor('webhooks create X', ['webhooks register', 'webhooks subscribe']),
  'webhooks listen': 'listen',
  auth: 'login',
  ...sameFor(start, ['init', 'setup']),
  ...sameFor('deliveries edit X', ['change', 'modify', 'correct', 'fix', 'deliveries update']),
  ...sameFor('deliveries edit X', ['orders edit', 'orders update', 'orders change', 'orders modify']),
  ...sameFor('deliveries dispute X --reason REST', [
    'dispute',
    'complain',
    'complaint',
    'lost',
    'missing',
    'cold',
  ]),
  ...sameFor(
    ['deliveries dispute X', 'charges list --order X'],
    ['refund', 'charges refund', 'reimburse', 'compensate'],
  ),
  ...sameFor('charges list --kind refund', ['refunds', 'refunded']),
  ...sameFor('report --fees', ['charges total', 'charges sum', 'charges summary']),
  tip: 'deliveries edit X --tip REST',
  ...sameFor('deliveries list --late', ['slow', 'overdue', 'delayed']),
  ...sameFor(['report', 'charges list --period today'], ['money', 'takings', 'accounting']),
  ...sameFor('orders list --waiting', ['unassigned', 'undispatched', 'driverless', 'waiting']),
  ...sameFor('deliveries list --status enroute_to_return,returned', ['returns', 'coming-back']),
  ...sameFor('report --by reason', ['failures', 'reasons']),
  ...sameFor('stores pause X --until REST', [
    ...['pause', 'close', 'closed', 'stop', 'stores disable', 'stores stop', 'stores close'],
  ]),
  'stores hours': 'stores pause X --until REST',
  ...sameFor('stores resume X', ['resume', 'unpause', 'open-store']),
  ...sameFor('report yesterday', ['yesterday']),
  ...sameFor('report week', ['week', 'weekly']),
  ...sameFor('report month', ['month', 'monthly']),
  'quotes get': 'quotes list X',
  unpaid: 'charges list',
  ...sameFor('report WHEN', ['cost', 'costs', 'spent', 'spend', 'total'].map(timed)),
  ...sameFor('deliveries list --late --period WHEN', ['late', 'delayed', 'slow'].map(timed)),
  ...sameFor('charges list --kind refund --period WHEN --all', ['refund', 'refunds', 'refunded'].map(timed)),
  ...sameFor('charges list --kind tip --period WHEN --all', ['tip', 'tips'].map(timed)),
  ...sameFor('deliveries list --status returned --ended WHEN', ['return', 'returns', 'returned'].map(timed)),
  ...sameFor('deliveries list --status failed --period WHEN', ['failed', 'failures'].map(timed)),
  ...sameFor(
    'deliveries list --status canceled --period WHEN',
    ['canceled', 'cancelled', 'cancellations'].map(timed),
  ),
  ...sameFor('deliveries list --status delivered --period WHEN', ['delivered'].map(timed)),
  ...sameFor('deliveries list --reassigned --period WHEN', ['reassigned'].map(timed)),
  unproved: 'deliveries list --without-proof',
  ...sameFor('charges list --period WHEN --all --output csv', ['export', 'csv', 'excel'].map(timed)),
  'unproved WHEN': 'deliveries list --without-proof --period WHEN',
  biggest: ['orders list --min-value DOLLARS', 'report --by customer --sort value'],
  ...sameFor('charges list --period WHEN --all', ['invoice', 'bill', 'receipt', 'fee', 'price'].map(timed)),
  ...sameFor('deliveries list --sort price --period WHEN', ['expensive', 'dearest'].map(timed)),
  ...sameFor('report WHEN --by reason', ['refused', 'rejected', 'declined'].map(timed)),
  'deliveries move': 'deliveries reschedule X --dropoff-at REST',
  'deliveries tip': 'deliveries edit X --tip REST',
  'deliveries where': 'where X',
  demo: 'start',
  version: '--version',
  install: 'help getting-started',
  events: 'events list --delivery X',
  audit: 'audit list --record X',
  late: 'deliveries list --late',
  stuck: 'deliveries list --stuck',
  ...sameFor('ship X', ['orders dispatch', 'orders ship', 'orders send']),
  ...sameFor('orders import X', ['bulk', 'upload', 'orders load']),
  ...sameFor('deliveries cancel X', [
    ...['delete', 'remove', 'destroy', 'stop', 'kill', 'rm', 'close'].map((word) => `deliveries ${word}`),
  ]),
  ...sameFor('orders cancel X', ['orders delete', 'orders stop', 'orders kill', 'orders rm', 'orders close']),
  ...sameFor('deliveries report X STATUS', ['deliveries complete', 'deliveries finish']),
  ...sameFor('deliveries get X', ['deliveries open', 'deliveries print']),
  ...sameFor(['orders get X', 'orders list --search X'], ['orders search', 'orders find']),
  ...sameFor('orders create', ['orders place', 'orders submit']),
  quotes: 'deliveries quote --like X',
  ...sameFor('couriers list', ['providers', 'provider', 'carriers']),
  'customers list': 'report --by customer',
  'logs tail': 'events tail',
  'webhooks logs': 'webhooks attempts',
  ps: active,
  apply: 'orders create --file FILE',
  'auth status': 'whoami',
  'auth logout': 'help logout',
  'config use-context': 'profiles use X',
  'config get-contexts': 'profiles list',
  configure: ['config list', 'login'],
  'orders explain': 'orders get X',
  'orders quote': 'routes create X',
  'orders route': 'routes create X',
  'disputes create': 'deliveries dispute X',
  ...sameFor('events resend X', ['replay', 'webhooks replays', 'webhooks redeliveries']),
  redeliver: ['deliveries retry X', 'events resend X'],
  ...sameFor('webhooks test', ['webhooks trigger', 'trigger']),
  'webhooks enable': 'webhooks update X --enable',
  ...sameFor('webhooks update X --disable', ['webhooks disable', 'webhooks pause', 'webhooks stop']),
};

function sameFor<T extends Sentence>(sentence: T, words: readonly string[]): Record<string, T> {
  return Object.fromEntries(words.map((word) => [word, sentence]));
}

/** The key of a word with a period after it: `late yesterday`. */
export function timed(word: string): string {
  return `${word} WHEN`;
}

/** The text for X where nothing follows the word: the argument's name in help. */
export const placeholders: Readonly<Record<string, string>> = {
  orders: 'ORDER',
  stores: 'STORE',
  webhooks: 'ENDPOINT',
  search: 'TEXT',
  ...sameFor('NAME', ['carrying', 'carries', 'customer', 'customers', 'recipient', 'name', 'email']),
  ...sameFor('ORDER', ['tries', 'attempts', 'drivers']),
  ...sameFor('STORE', ['pause', 'close', 'closed', 'stop', 'resume', 'unpause', 'open-store']),
};

/** Words that only together ask for something, as the one word that has a command; not about one record. */
export function withPhrases(words: readonly string[]): readonly string[] {
  if (words.some((word) => /\d/.test(word) && !periodWords.test(word))) return words;
  const typed = words.join(' ');
  const phrased = typed
    .replace(/(?<!(?:add|create|hire) (?:an? )?)\b(?:new|another|other|second) drivers?\b/, (typed, at) =>
      at === 0 ? typed : 'reassigned',
    )
    .replace(/\b(?:(?:an)?other|different) (?:courier|provider|carrier)\b/, 'switch')
    .replace(/\bwhere is (?:the|my|our|his|her) (?:driver|courier|rider)\b/, 'locate')
    .replace(/\b(?:driver|courier|rider)(?:'?s)? (?:location|position|whereabouts)\b/, 'locate')
    .replace(/\bwrong with (?:the |our |my )?(?:service|server|system|webhooks?)\b/, 'healthy')
    .replace(
      /\b(?:who|which|what) (?:(?:customer|client|recipient)s? )?(?:has |have )?complained\b/,
      'claims',
    )
    .replace(
      /\b(?:stop|avoid|no more) (?:sending |using |giving )?(?:orders |deliveries )?(?:to |with |from )?(?:one|an?|the|this) (?:courier|provider|carrier)\b/,
      'block',
    )
    .replace(/\bmoney back\b/, 'refunds')
    .replace(/\bon the (?:road|move)\b/, 'driving')
    .replace(/\bwrong address\b/, 'readdress')
    .replace(/\btest (?:order|delivery)\b/, 'demo')
    .replace(/^(?:which|what) (courier|provider|carrier)s? (?:is|was) (?:the )?(?=cheapest|fastest)/, '$1s ')
    .replace(/\b(?:as|get|in|print|want) json\b/, 'json')
    .replace(/\b(?:just|only) ids?\b/, 'ids')
    .replace(/\b(?:cost|price|much(?: is it)?) to (?:send|ship|deliver)\b/, 'estimate')
    .replace(/\bpickups (?:for|at) (?:the|my|our) (?:kitchen|store|shop)\b/, 'couriers coming')
    .replace(/^(?:hold|pause|stop) (?:all|everything|dispatch|dispatching|orders)$/, 'pause')
    .replace(/^(?:release|resume|restart) (?:all|everything|dispatch|dispatching|orders)$/, 'resume')
    .replace(/\b(?:no|without|missing) (?:photo|picture|proof|signature)s?\b/, 'unproved')
    .replace(/\b(?:no|without|missing) (?:an? )?(?:driver|courier)s?\b/, 'driverless')
    .replace(/\b(?:big|bigger|biggest|large|largest) orders?\b/, 'biggest');
  // A name in quotes stays one word.
  return phrased === typed ? words : phrased.split(' ');
}
