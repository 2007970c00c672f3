/** What people ask in several words, and the lines for it: the texts of commands have other words. */
import { streetAddress } from './guess-report.ts';

/** What callers call an order, a courier, a driver and a customer. */
const parcel = '(?:order|parcel|package|food|meal|item|delivery|bag|box|pizza|stuff|thing)s?';
const courier = '(?:courier|carrier|provider|uber|doordash|company)s?';
const driver = '(?:driver|courier|rider|person|guy|somebody|someone)s?';
const customer = '(?:customer|recipient|client|buyer|guest|caller)s?';

const zip =
  '(?:\\b(?:(?:zip|post(?:al )?)(?: ?code)?|(?:orders|deliveries|everything|all|lives?|going|headed|way) (?:to|in|at)(?: the)?) (\\d{5})\\b|\\b(\\d{5}) (?:area|neighbou?rhood|district)\\b)';

/** A pattern and its lines. Every pattern that fits counts, the first one most; `$1` is what it captured. */
const patterns: readonly string[] = [
  `^(?!.*\\b(?:same|this|that) (?:time|hour|moment)).*\\b(?:compar\\w+|versus|vs)\\b => report yesterday today`,
  // Money of some, whose words are also those of other questions.
  `\\b(?:charged|billed|paid|debited) (?:\\w+ )?(?:twice|double)\\b|\\bdouble charge => charges list --order ORDER ; orders list --repeated --on today`,
  `\\b(?:charged|costs?|paid|pay)\\b.*\\b(?:for|of) (?:${parcel} )?#?(\\d{3,})\\b => charges list --order $1`,
  `^what did (?:today|yesterday|\\w+day|(?:this|last) (?:week|month)) cost\\b => report ; charges list --all`,
  `\\brefund\\w*\\b.*\\b(\\d{3,})\\b.*\\b(?:come|came|arrive\\w*|received|got|done|back)\\b|\\b(?:did|has|was|is)\\b.*\\b(\\d{3,})\\b.*\\brefund => charges list --order $1`,
  `\\brefunds\\b(?=.*\\b(?:csv|excel|spreadsheet|file)\\b)|\\b(?:csv|excel|spreadsheet|file)\\b.*\\brefunds\\b => charges list --kind refund --all -o csv`,
  `\\b(?:above|over|more than|worth|at least) \\$?(\\d+)(?: dollars| bucks|\\$)?(?= |$)(?!.*\\b(?:min|miles?|late|percent|tip)) => orders list --filter 'order_value > $1' --all`,
  `\\bfees?\\b.*\\b(?:came|come|given|paid|got) back\\b => charges list --kind refund --all`,
  `\\b(?:total|sum|costs?)\\b.*\\bfailed (?:ones|orders|deliveries)\\b => deliveries list --status failed --all`,
  `\\b(?:without|no) (?:an? )?tips?\\b => deliveries list --filter '!tip' --all`,
  `\\b(?:pay|paid|charged?|costs?|fees?)\\b.*\\bfor waiting\\b => charges list --kind adjustment --all`,
  `\\b(?:orders|deliveries)\\b.*\\b(?:free|cost nothing)\\b => deliveries list --filter 'total_cost = 0' --all`,
  `\\bhow (?:many|often)\\b.*\\bdid (?!we\\b|you\\b|they\\b|each\\b|every\\b|the\\b|it\\b)(\\w+(?: \\w+)?) (?:have|order|get)\\b => deliveries list --search '$1' --all`,
  // What went wrong with one.
  `\\b(?:have|got|received) nothing\\b|\\bsays? (?:it (?:was|is) )?delivered but\\b => deliveries dispute DELIVERY --reason 'It never came' ; proof DELIVERY`,
  `\\b(?:wrong|missing|cold|damaged|broken|spilled|spoiled|half) ${parcel}\\b => deliveries dispute DELIVERY --reason TEXT`,
  `\\b${parcel} (?:was|is|were|are|arrived|came) (?:\\w+ )?(?:wrong|missing|cold|damaged|broken|spilled|spoiled|open)\\b => deliveries dispute DELIVERY --reason TEXT`,
  `\\b(?:which|how many|why|deliver\\w+|orders?)\\b.*\\b(?:nobody|no ?one|not) (?:(?:was|is|were|been) )?(?:at )?(?:there|home|in|answering|opened)\\b => deliveries list --filter 'failure_reason = recipient_unreachable' ; report --by reason`,
  `\\b(?:nobody|no ?one|not) (?:(?:was|is) )?(?:at )?(?:there|home|opens?|answer\\w*)\\b|\\b${customer} (?:is |was |has )?(?:away|out|gone|absent)\\b => deliveries explain DELIVERY ; deliveries edit DELIVERY --dropoff-notes TEXT`,
  `\\b(?:where (?:was|did|were) .*(?:left|leave|put|dropped?)|(?:photo|picture|image) of|is there an? (?:photo|picture|image)|handed over|who (?:took|received|accepted) (?:it|the)|(?:which|what|wrong) door|left at)\\b => proof DELIVERY`,
  `\\b(?:rude|unfriendly|impolite|insult\\w*|threaten\\w*)\\b => deliveries explain DELIVERY ; deliveries dispute DELIVERY --reason TEXT`,
  // Webhooks.
  `^(?=.*\\b(?:web)?hooks?\\b|.*\\bendpoints?\\b).*\\b(?:fail\\w*|lost|miss\\w*|undelivered|exhausted|again|(?:re-?)(?:send|sent|deliver|play|try)\\w*|(?:not|n't|never) (?:be |been )?(?:deliver|sent|arriv|receiv|got)\\w*) => webhooks attempts --failed ; webhooks attempts ENDPOINT --exhausted --all -o id | waybill events resend - --endpoint ENDPOINT ; events resend EVENT`,
  // Where it is.
  `\\bwho (?:is |will |will be )?(?:bring\\w*|carr\\w+|driv\\w+) (?:it|this|that|my|the ${parcel})\\b => deliveries explain DELIVERY`,
  `\\b(?:code|pin) (\\d{4})\\b => deliveries list --search $1 ; deliveries list --active --filter handover_pin=$1`,
  `\\b(?:leaves?|goes out|go out|handed (?:out|over)) (?:next|first|soon)\\b|\\b(?:still|left) in the (?:kitchen|store|shop)\\b|\\bmust be ready\\b => deliveries list --status not_picked_up --sort pickup`,
  `\\b(?:cook|prepare|make|bake)\\b.*\\b(?:at|by|next|now|first)\\b => deliveries list --status not_picked_up --sort pickup --columns ref,pickup_due,items`,
  `\\bstatus(?:es)?\\b.*\\b(?:mean\\w*|after|next)\\b|\\b(?:mean\\w*|after|next)\\b.*\\b(?:status(?:es)?|[a-z]+_[a-z_]+)\\b|\\b[a-z]+_[a-z_]+ means?\\b => help statuses`,
  `\\bnext ${driver} (?:is |will )?(?:come|be|arrive|get)s? => deliveries list --status not_picked_up --sort pickup`,
  `\\b(?:when|what time|how (?:long|soon|much longer))\\b.*\\b(?:will|does|is|until|till|before)\\b.*\\b(?:next ${driver}|pick(?:ed|s)? up|pickup|collect\\w*)\\b => deliveries list --status not_picked_up --sort pickup`,
  `\\b(?:when|what time|how (?:long|soon|much longer))\\b.*\\b(?:arrives?|coming|comes?|gets? (?:here|there|to)|reach\\w*|be (?:here|there))\\b.*\\b(?:customer|${parcel}|me|us|it|home|\\d+)\\b|\\b(?:when|what time)\\b.*\\b(?:my|the|his|her|our) ${parcel}\\b => where DELIVERY ; deliveries explain DELIVERY`,
  `\\b(?:waiting|waits?|stand\\w*|queue\\w*)\\b.*\\b(?:counter|kitchen|store|shop|restaurant|door of ours|here)\\b => deliveries list --status arrived_at_pickup --sort status_since:asc`,
  `\\bis (?:it|(?:my|the|our|his|her|this|that) ${parcel})\\b.*\\b(?:close|near\\w*|here|there|coming|almost)\\b => where DELIVERY`,
  `\\b(?:not|never|no longer|stopped) (?:been )?(?:report(?:ed|ing)?|mov(?:ed|ing)|heard|updated)\\b|\\b(?:silent|heard nothing|no news)\\b => deliveries list --stuck`,
  `\\b(?:minute by minute|step by step|blow by blow)\\b => deliveries explain DELIVERY`,
  // A change to one.
  `\\b(?:leave|left|put|drop|placed?)\\b (?:it |the \\w+ )?(?:at|with|by|in|behind|on)\\b(?! us)(?=.*\\b(?:door|porch|neighbou?r|reception|concierge|doorman|lobby|desk|gate|garage)\\b).*$(?<=\\b(?:wants?|please|should|asks?|tell|could|can)\\b.*) => deliveries edit DELIVERY --dropoff-notes TEXT`,
  `\\b(?:revoke|invalid\\w*|renew|replace|new|expire)\\b.*\\btracking (?:link|page)|\\btracking (?:link|page)\\b.*\\b(?:revoke|invalid\\w*|renew|replace|expire\\w*|opened|seen|viewed) => help tracking-page link`,
  `\\b(?:wrong|other|different|forgot\\w*)\\b.*\\b(?:flat|apartment|unit|suite)\\b => deliveries edit DELIVERY --dropoff-unit 12C`,
  `^(?:can|could|please|tell|ask)\\b.*\\b(?:call|ring|phone|text|knock)\\b.*\\b(?:when|once|before|twice|first)\\b => deliveries edit DELIVERY --dropoff-notes TEXT`,
  `\\b(?:change|switch|replace|swap) (?:who (?:picks?|delivers?|drives?|brings?|carries)|(?:the |my |our |a )?(?:driver|rider))\\b => deliveries assign DELIVERY --driver DRIVER ; deliveries retry DELIVERY --not NAMES`,
  `\\b(?:everything|all|whole|history)\\b.*\\b(?:one|an|this) (?:order|delivery)\\b.*\\bfile\\b => deliveries explain DELIVERY --show-pii -o table > order.txt ; audit list --record DELIVERY`,
  `\\b(?:gate|door|entry|entrance|access|buzzer|alarm) (?:codes?|pin|number)\\b|\\bbuzzer\\b => deliveries edit DELIVERY --dropoff-notes TEXT`,
  `\\b(?:faster|sooner|quicker|hurry|rush|speed(?:ed)? up)\\b => deliveries edit DELIVERY --tip DOLLARS ; deliveries reschedule DELIVERY --dropoff-at '8pm'`,
  `\\b(?:wants?|need\\w*|deliver|bring|come|get)\\b.*\\b(?:later|earlier|another (?:time|day)|(?:\\d+|an|one|two|half an) (?:hours?|minutes?) (?:later|earlier)|(?:on|by|at|till|until) (?:\\d+ ?[ap]m|noon|tonight|tomorrow)|(?:tonight|tomorrow|\\w+day) instead)\\b => deliveries reschedule DELIVERY --dropoff-at '8pm'`,
  `\\b(?:dollars?|bucks?|money|tip) (?:more|extra)\\b|\\b(?:more|extra|bigger|higher|raise the|forgot\\w*) tip\\b|\\btip(?:ped)? (?:to |for )?(?:an?|the|my|our|his|her) ${driver}\\b => deliveries edit DELIVERY --tip DOLLARS`,
  `\\b${customer} (?:has |just )?moved\\b|\\bmoved to\\b|\\b(?:new|different|other) address\\b|\\bwrong (?:house|street|building)\\b => deliveries cancel DELIVERY --price ; deliveries quote --like DELIVERY --dropoff-address ADDRESS`,
  `\\b(?:remind\\w*|remember|colleague|(?:next|other|late|early) shift)\\b => deliveries note DELIVERY`,
  `\\b(?:order|send|deliver|ship|do) (?:it|this|that|the ${parcel}|\\d+) (?:once more|again|a second time)\\b => deliveries retry DELIVERY --price --max-cost 12.50 ; deliveries quote --like DELIVERY`,
  `\\b(?:can|may|could|late to)\\b.*\\bcancel(?: (?:it|this|that|my|the|one|an?|\\d+)\\b.*)?$ => deliveries cancel DELIVERY --price`,
  `\\b(?:what|(?:what|which) (?:dishes|items)) (?:is|are|was|were) in (?:the |order )?(\\d+) => orders get $1`,
  `\\b(?:no|not|without|other than|instead of|only|but) (?:(?:on|by) )?(?:an? )?(?:bicycle|bike|car|scooter|motorcycle|van|truck)s?\\b => deliveries quote --like ORDER --vehicle car`,
  // Lists.
  `\\b(?:called|named) (?!when|me|us|him|her|back|again|by|twice)([a-z]+)\\b => deliveries list --search $1`,
  `^(?=.*\\blast hour\\b)(?!.*\\b(?:not|n't)\\b).*\\b(?:delivered|arrived|came)\\b => deliveries list --delivered 'last hour' --columns ref,dropoff,delivered,late_minutes`,
  `\\b(?:alcohol|wine|beer|needs? an? (?:id|age) checks?)\\b(?!.*\\b(?:fail\\w*|refus\\w*)) => help orders create age`,
  `\\bbecause\\b|\\bfor (?:which|what) reasons?\\b => report --by reason`,
  `\\b(?:one driver|together|same (?:building|driver|trip))\\b.*\\b(?:both|two|orders)\\b|\\b(?:both|two) orders\\b.*\\b(?:one driver|together|same) => routes create ORDER ORDER ; routes quote ROUTE --watch`,
  `\\b(?:which|what|does|do|can) ${courier}\\b.*\\b(?:can|takes?|does|do|accepts?|allows?|supports?|offers?)\\b.*\\b(?:alcohol|ages?|ids?|signatures?|pins?|tips?|photos?|returns?|schedul\\w*|vehicles?) => couriers list`,
  `\\ballerg\\w* => deliveries list --search allerg`,
  `\\b(?:longest|farthest|furthest|greatest|biggest) (?:distances?|ways?|trips?)\\b|\\b(?:distances|miles)\\b.*\\b(?:each|every|all|cost)\\b => deliveries list --sort distance --columns ref,dropoff,distance,charged`,
  `\\bcancell?ed by (?:us|me|ourselves|our (?:people|staff|shop))\\b|\\bwe (?:have |had )?cancell?ed\\b => deliveries list --status customer_canceled --columns ref,dropoff,ended,canceled_by,reason ; audit list --operation CancelDelivery`,
  `\\bnot (?:yet )?(?:been )?(?:sent|dispatched|given|booked)\\b.*\\b(?:yet|${courier})\\b => orders list --status open`,
  `\\b${customer}\\b.*\\b(?:more than one|several|multiple|two or more) (?:orders?|deliver\\w+)\\b => report --by customer`,
  `^(?=.*\\b(?:way|now|active|out|coming)\\b).*${zip} => deliveries list --active --filter 'dropoff_address ~ $1'`,
  `${zip} => deliveries list --filter 'dropoff_address ~ $1'`,
  `${streetAddress}|\\bhouse number (\\d+)\\b => deliveries list --search '$1'`,
  `^(?:which|what|list|show|all|orders|deliveries)\\b.*\\b(?:instructions?|(?:notes?|remarks?) (?:for|to) (?:the |our |a )?${driver})\\b => deliveries list --filter 'dropoff_notes or pickup_notes' --columns ref,dropoff_notes`,
  `\\b${courier} (?:has |have )?(?:cancel(?:l?ed|s)?|dropped)\\b|\\bcancell?ed by (?:the |an? )?${courier}\\b => deliveries list --status provider_canceled --ended today`,
  `\\b(?:orders|deliveries|parcels|all|everything|which|what)\\b.*\\b(?:not|n't) (?:yet )?(?:been )?(?:arrived|delivered|come)\\b => orders list --filter 'status != delivered'`,
  `\\btried (?:again|twice|more than once|several times)\\b => orders list --tries 2`,
  `\\b(?:dearest|costliest|most expensive) (?:order|delivery)\\b => deliveries list --sort total_cost --limit 1`,
  `\\b(?:more than|over|at least|by) (\\d+) min\\w*(?: or more)? (?:too )?late\\b|\\blate(?:r)? (?:by )?(?:more than|over) (\\d+) => deliveries list --late --filter 'late_minutes > $1' --show-pii`,
  `\\b(?:phones?|numbers?|contacts?|call|ring)\\b.*\\b(?:late|delayed)\\b|\\b(?:late|delayed)\\b.*\\b(?:phones?|phone numbers?|call)\\b => deliveries list --late --show-pii`,
  `\\b(?:need|want|lack|miss|wait\\w* for|without)s?(?: an?| any| some| the)? (?:driver|courier|rider)\\b => orders list --waiting`,
  `\\b(?:nobody|no ?one|no ${driver}|no ${courier}) (?:wants?|accept\\w*|took|takes?|found|wanted)\\b => deliveries list --filter 'failure_reason = provider_refused' ; report --by reason`,
  `\\b(?:planned|scheduled|pre-?orders?|preordered|in advance|booked) (?:for|on|by|orders?|deliver\\w+)\\b => deliveries list --scheduled ; deliveries list --due tomorrow`,
  `\\bwho (?:has |have )?(?:opened|closed|paused|resumed|changed|edited|set|created|added|turned|switched)\\b => audit list`,
  `^(?!.*\\b(?:was|were|did|costs?|fees?|pay|paid)\\b).*\\bfor (tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\\b => deliveries list --due $1`,
  `\\b(?:out|on the way|under way|going on) (?:at the moment|right now|now)\\b|\\bat the moment\\b => deliveries list --active`,
  `\\b(?:more than once|repeatedly|regularly)\\b => report --by customer`,
  `\\b(?:${parcel}|sent|shipped|delivered)\\b.*\\btwice\\b|\\b(?:duplicated?|doubled?|repeated) (?:orders?|deliver\\w+)\\b => orders list --repeated --on today`,
  `\\bhow (?:many|often)\\b.*\\b(?:each (?:dish|item|meal|product)|did we (?:sell|make|cook))|\\b(?:popular|best.?selling) (?:dish|item|meal|product) => deliveries list --delivered today --all --columns items`,
  `\\bhow many (pizza|burger|burrito|salad|soup|cake|sandwich|taco|drink|bowl)(?:e?s)?\\b => deliveries list --search $1 --on today --all`,
  // Money.
  `\\b(?:owe|pay|paid|spend|spent)\\b.*\\b(?:each|every|per) (courier|store|driver|day)\\b => report --by $1 --fees`,
  `\\b(?:refunds?|money back)\\b.*\\b(?:wait\\w*|open|pending|outstanding|expect\\w*|missing)\\b|\\bwait\\w* for (?:\\w+ )?refunds?\\b => disputes list --status open`,
  `\\b(?:spen(?:d|t|ding)|costs?|money) (?:per|each|every|by|a) day\\b => report week --by day`,
  `\\b(?:average|usual) tips?\\b => report --fees`,
  `\\bcancell?ed (?:\\w+ ){0,3}after\\b.*\\b${driver}\\b => deliveries list --status canceled --filter driver --columns ref,dropoff,driver,canceled_by,ended,charged --all`,
  `\\b${customer}\\b.*\\b(?:spend|spent) (?:the )?most\\b => report --by customer --sort value`,
  `\\bcancel(?:l?ed|lation)? (?:orders?|deliver\\w+)? ?(?:cost|costs|paid|fees?)\\b|\\b(?:cost|pays?|paid|fees?|money) .*\\bcancell?ed\\b => charges list --kind cancellation --all ; report --fees`,
  `^(?!.*\\b(?:tips?|refunds?|cancel\\w*)\\b).*\\b(?:did|do|have|must|should|are) we (?:\\w+ )?(?:owe|pay|paid|spend|spent|charged)\\b|\\bwas (?:charged|spent|paid)\\b|\\b(?:did it|it all) cost\\b => report ; charges list --all`,
  `\\btax(?:es)?\\b => charges list --period month --all --output csv ; deliveries list --period month --all --output csv`,
  `\\b(?:invoices?|statements?|bills|charges)\\b.*\\b(?:file|excel|spreadsheet|csv|list|month|download)\\b => charges list --period month --all --output csv`,
  `\\b(?:invoices?|charges?|prices?|bills?|lines?|fees?|amounts?) (?:\\w+ )?(?:were |was |got )?(?:changed|corrected|higher|adjusted|more)\\b => charges list --kind adjustment`,
  `\\b(?:come|came|coming|goes|went|going|brought|sent) back\\b.*\\b(?:cost|pay|paid|fees?|money)\\b|\\b(?:cost|pay|paid|fees?|money)\\b.*\\b(?:came back|come back|returns|returned)\\b => charges list --kind return --all ; report --fees`,
  `\\bhow (?:much|many minutes) (?:later|too late)\\b|\\blater than promised\\b => report --minutes ; deliveries list --late`,
  `\\bhow many (?:orders|deliveries) (?:\\w+ ){0,2}(?:lost|lose)\\b => report ; deliveries list --status failed,canceled --all`,
  `\\bwho cancel\\w* (?:the )?most\\b => report --by customer --sort canceled`,
  `\\b(?:on|in) time\\b => report`,
  // Drivers and couriers.
  `\\bwho(?:'s| is| was) (?:the )?worst\\b => report --by driver --sort problems ; report --by courier --rates`,
  `\\b(?:need|want|hire\\w*|have) (?:another|a new|one more|more|a second) drivers?\\b => drivers add NAME --phone-number PHONE`,
  `\\b(?:link|app|page)\\b.*\\bdrivers?\\b|\\bmy (?:app|page)\\b|\\b(?:his|her|their|driver'?s?) (?:own )?(?:link|app|page|deliveries|route|orders|jobs)\\b => drivers link DRIVER ; deliveries list --driver NAME --active`,
  `\\b(?:sick|ill|off today|goes home|went home|broke down|flat tire|accident)\\b => deliveries list --driver NAME --active ; deliveries assign DELIVERY --driver DRIVER`,
  `\\b(?:stop|quit|no longer|never|don'?t|avoid|without|ban|block)(?: us\\w+| sending orders to)?(?: an?| the| this| one)? ${courier}\\b => couriers disable COURIER ; stores update STORE --provider NAMES`,
  `\\bhow long\\b.*\\b(?:wait|stand|at the (?:store|restaurant|shop)) => report --by store --minutes ; deliveries list --sort at_store_minutes`,
];

const compiled = patterns.map((row) => {
  const [pattern = '', lines = ''] = row.split(' => ');
  return { pattern: new RegExp(pattern), lines: lines.split(' ; ') };
});

/** The lines whose patterns a question fits, without `waybill`. */
export function linesAsked(question: string): string[] {
  return compiled.flatMap(({ pattern, lines }) => {
    const found = pattern.exec(question);
    if (found === null) return [];
    const captured = found.slice(1).find((text) => text !== undefined) ?? '';
    return lines.map((line) => line.replace('$1', captured));
  });
}
