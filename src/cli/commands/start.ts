/** `start`: the tour, which takes one order through the whole flow at a temporary service and explains each step. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Charge } from '../../contract/accounting.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { Order, OrderRequest } from '../../contract/orders.ts';
import type { Job, Route, RouteQuote, RouteQuotes } from '../../contract/routes.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { dollars } from '../../domain/money.ts';
import { quotePrice, rankQuotes } from '../../domain/quotes.ts';
import { statusWord } from '../../domain/status-words.ts';
import { pickQuote } from '../flow/agreed-quote.ts';
import { deliver, type FrontEnd, type Progress as Step } from '../flow/deliver.ts';
import type { Outcome } from '../flow/dispatch-outcome.ts';
import { BadOutcome, Failure, StillPending } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import { alignedRows, type Cell } from '../kit/output/aligned-rows.ts';
import { statusWidth } from '../kit/output/colour.ts';
import type { Progress } from '../kit/output/progress.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { wrapProse } from '../kit/output/terminal-lines.ts';
import { lengthText, type TimeContext, timePhrase, timesFor, tookText } from '../kit/output/times.ts';
import { invocation, type NextStep, quoted, type StepObject, shellLine } from '../kit/result/message.ts';
import { type Formatters, streamFormats, streamResult } from '../kit/result/result.ts';
import { stepShape } from '../kit/result/shape.ts';
import { explainFileError } from '../kit/system/files.ts';
import { createOrder, itemText } from '../nouns/order.ts';
import { comparable } from '../nouns/quote-columns.ts';
import { type Context, defineCommand } from '../session/command.ts';
import type { Settings } from '../settings/settings.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'Take a guided tour of one complete delivery',
  description: [
    'Follows a delivery from order to doorstep in about fifteen seconds. No key or network needed: couriers are',
    'simulated and the clock runs fast. Your data is not touched; the tour runs in a temporary folder that is deleted',
    'at the end.',
  ].join('\n'),
  examples: [{ command: 'waybill start', summary: 'Take the tour' }],
  effect: 'none',
  connectionFlags: ['requestTimeout', 'curl'],
  formats: streamFormats,
  answers: ({ lines, object, listOf, orNull }) => [
    lines(
      object({
        type: '"step" | "status" | "done"',
        'step?': 'integer',
        'title?': 'string',
        'about?': 'string',
        'command?': 'string',
        'happened?': listOf('string'),
        'data?': 'object',
        'delivery_id?': 'string',
        'status?': 'a status',
        'created_at?': 'time',
        'courier_name?': orNull('string'),
        'progress?': 'number',
        'next?': listOf(stepShape),
      }),
    ),
  ],
  exits: { 8: 'the delivery did not finish in time', 9: 'the delivery ended unsuccessfully' },
  related: ['orders create', 'ship', 'drivers add', 'serve'],
  run(context) {
    return streamResult(takeTour(context), lineOf);
  },
});

type TourEvent = TourStep | TourStatus | Ending;

interface TourStep extends StepText {
  type: 'step';
  step: number;
}

/** A step in words: what it is for, the command that does it, and what happened. */
interface StepText {
  title: string;
  about: string;
  command: string;
  happened: string[];
  /** The service's response. */
  data: unknown;
}

interface TourStatus {
  type: 'status';
  delivery_id: string;
  status: Delivery['status'];
  /** When it was entered, by the service's clock. */
  created_at: string;
  courier_name: string | null;
  /** The part of the time to the expected dropoff that has passed, from 0 to 1. */
  progress: number;
}

interface Ending {
  type: 'done';
  next: StepObject[];
}

const interruptionText = 'The tour ran on a temporary service; nothing was kept.';

function makeTemporaryFolder(parent: string): string {
  try {
    return mkdtempSync(join(parent, 'waybill-start-'));
  } catch (error) {
    const hint = 'TMPDIR names another folder for temporary files.';
    throw new Failure(2, 'usage', `No folder can be made in ${parent}: ${explainFileError(error)}.`, {
      hint,
    });
  }
}

/** Takes the tour at a service in a temporary folder. Yields each step once it is done. */
async function* takeTour(context: Context): AsyncGenerator<TourEvent> {
  const { TMPDIR } = context.host.environment;
  const folder = makeTemporaryFolder(TMPDIR || tmpdir());
  const remove = async () => rmSync(folder, { recursive: true, force: true });
  context.onStop(remove);
  const wait = createWaitDisplay(context);
  context.setInterruptionText(interruptionText);
  let step = 0;
  try {
    for await (const event of tourSteps(context.at(ownService(folder)), wait.pause)) {
      wait.stop();
      if ('type' in event) {
        yield event;
      } else {
        step += 1;
        yield { type: 'step', step, ...event };
      }
    }
    const further = nextSteps(context).map((each) => context.stepObject(each));
    yield { type: 'done', next: [...pathStep(context.host), ...further] };
  } finally {
    wait.stop();
    await remove();
  }
}

/** A service without the profile, the key and the data of the user. */
function ownService(folder: string): Settings {
  return {
    name: 'start',
    nameOrigin: 'default',
    profile: null,
    file: join(folder, 'profiles.json'),
    target: { kind: 'embedded', file: join(folder, 'waybill.db') },
    apiKey: null,
    keyOrigin: 'default',
    mode: 'test',
  };
}

/** Seconds of the service's clock in one: a delivery across town takes seconds, and each status can still be read. */
const rate = 240;

/** Takes one order through the whole flow at a sandbox. Yields each step, and each status on the way. */
async function* tourSteps(context: Context, pause: Pause): AsyncGenerator<StepText | TourStatus> {
  const delivery = yield* dispatchOrder(context);
  const client = await context.client();
  const clock = await client.clock.set({ body: { mode: 'scaled', rate } });
  yield followStep(delivery.id, clock.data);
  const delivered = yield* follow(context, delivery.id, pause);
  const charges = await client.charges.list({ query: { delivery_id: delivered.id } });
  yield deliveredStep(delivered, charges.data.data);
}

/** Creates an order and dispatches it with the cheapest quote; returns the delivery. */
async function* dispatchOrder(context: Context): AsyncGenerator<StepText, Delivery> {
  const created = await createOrder(context, example, context.idempotencyKey());
  yield orderStep(created);
  const frontEnd: FrontEnd = {
    optimize: true,
    tip: null,
    timeout_ms: undefined,
    interval_ms: undefined,
    choose: async (route_id, quotes) => ({
      quote: await pickQuote(context, route_id, quotes, 'cheapest', true),
    }),
    interruptionText: () => interruptionText,
  };
  let delivery: Delivery | undefined;
  for await (const done of deliver(context, [created.id], frontEnd)) {
    const text = stepOf(done, context);
    if (text !== null) yield text;
    if (done.step === 'dispatch') [delivery] = done.outcome.route.deliveries;
  }
  if (delivery === undefined) throw new BadOutcome('The route has no delivery.');
  return delivery;
}

/** Waits until the delivery is fetched again; `now` is the time of the service. */
type Pause = (delivery: Delivery, now: number) => Promise<void>;

/** The maximum number of polls; at this rate a delivery needs far fewer. */
const max_polls = 200;

/** Follows a delivery until it is delivered, and returns it. Yields each status once it is reached. */
async function* follow(
  context: Context,
  deliveryid: string,
  pause: Pause,
): AsyncGenerator<TourStatus, Delivery> {
  const client = await context.client();
  let seen = 0;
  for (let polls = 0; polls < max_polls; polls += 1) {
    const { data: delivery } = await client.deliveries.get({ params: { deliveryid } });
    for (const entry of delivery.status_history.slice(seen)) yield statusOf(delivery, entry);
    seen = delivery.status_history.length;
    if (delivery.status === 'delivered') return delivery;
    if (isEnded(delivery.status)) throw new BadOutcome(`The delivery ended as ${delivery.status}.`);
    await pause(delivery, context.serviceNow());
  }
  throw new StillPending(`${deliveryid} was not delivered in time.`);
}

function statusOf(
  delivery: Delivery,
  { status, created_at }: Delivery['status_history'][number],
): TourStatus {
  const { id, courier_name } = delivery;
  return {
    type: 'status',
    delivery_id: id,
    status,
    created_at,
    courier_name: status === 'delivery_created' ? null : courier_name,
    progress: isEnded(status) ? 1 : progressAt(delivery, Date.parse(created_at)),
  };
}

/** The part of the time to the expected dropoff that has passed; 0.99 at most before the end. */
function progressAt(delivery: Delivery, now: number): number {
  const created = Date.parse(delivery.created_at);
  const end = Date.parse(delivery.dropoffs[0]?.dropoff_eta ?? delivery.created_at);
  if (end <= created) return 0;
  return Math.min(0.99, Math.max(0, (now - created) / (end - created)));
}

/** The time between two polls of the delivery. */
const pause_ms = 300;

/** Shows the wait between two polls. Accessible output has only the lines of the statuses. */
function createWaitDisplay(context: Context): { pause: Pause; stop(): void } {
  let progress: Progress | null = null;
  const show = async (text: string) => {
    if (!context.output.accessible) progress ??= await context.progress(text);
    progress?.say(text);
  };
  const pause: Pause = async (delivery, now) => {
    await show(`${delivery.status}, ${Math.round(progressAt(delivery, now) * 100)} % of the way`);
    await context.sleep(pause_ms);
  };
  const stop = () => {
    progress?.stop();
    progress = null;
  };
  return { pause, stop };
}

/** The example of the contract; its phone numbers are reserved for fiction, and it always succeeds. */
const example = {
  pickup_address: '43 E Ohio St, Chicago, IL 60611',
  pickup_name: 'Ohio Street Grill',
  pickup_phone_number: '+13125550101',
  dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
  dropoff_name: 'Joe Diner',
  dropoff_phone_number: '+13125550100',
  items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' }],
} satisfies OrderRequest;

function orderStep(data: Order): StepText {
  const { items, pickup_address, pickup_name, dropoff_address, dropoff_name } = example;
  return {
    title: 'Create an order',
    about: 'An order says what goes from where to whom.',
    command: shellLine(
      invocation('orders create', [], {
        pickupAddress: pickup_address,
        pickupName: pickup_name,
        pickupPhone: example.pickup_phone_number,
        dropoffAddress: dropoff_address,
        dropoffName: dropoff_name,
        dropoffPhone: example.dropoff_phone_number,
        item: items.map(({ name, quantity, size }) => `${name}:${quantity}:${size}`).join(),
      }),
    ),
    happened: [
      `${data.id} is ${data.status}: ${items.map(itemText).join()}, ${pickup_name} to ${dropoff_name}.`,
    ],
    data,
  };
}

/** The tour step for the flow's progress; null for the choice, which is part of the dispatch. */
function stepOf(done: Step, context: Pick<Context, 'serviceNow' | 'output'>): StepText | null {
  switch (done.step) {
    case 'route':
      return routeStep(done.route);
    case 'request':
      return requestStep(done);
    case 'quotes':
      return quotesStep(done, { now: context.serviceNow(), times: timesFor(context.output) });
    case 'dispatch':
      return dispatchStep(done.outcome);
    default:
      return null;
  }
}

function routeStep(data: Route): StepText {
  return {
    title: 'Create a route',
    about: "A route is a driver's run; it may carry many orders.",
    command: shellLine(invocation('routes create', [...data.order_ids])),
    happened: [
      `${data.id} is a ${data.status} of ${data.stops.length} stops and ${data.distance_miles} miles.`,
    ],
    data,
  };
}

function requestStep({ route_id, job }: { route_id: string; job: Job }): StepText {
  return {
    title: 'Request quotes from the providers',
    about: 'Providers need a moment to answer, so the request returns a job.',
    command: shellLine(invocation('routes quote', [route_id])),
    happened: [`${job.job_id} is collecting the quotes. This takes a few seconds.`],
    data: job,
  };
}

function quotesStep(
  { route_id, quotes }: { route_id: string; quotes: RouteQuotes },
  timing: TimeContext,
): StepText {
  const ranked = rankQuotes((quotes.data ?? []).map(comparable)).map(({ quote }) => quote);
  const width = Math.max(0, ...ranked.map(({ provider }) => provider.length));
  return {
    title: 'Compare the quotes',
    about: 'Quotes are compared by total price (cost + fee). Most of them expire.',
    command: shellLine(invocation('quotes list', [route_id], { watch: true })),
    happened: ranked.map((quote) => quoteLine(quote, width, timing)),
    data: quotes,
  };
}

function quoteLine(quote: RouteQuote, width: number, { now, times }: TimeContext): string {
  const price = `${dollars(quote.cost_of_delivery)} + ${dollars(quote.service_fee)} = ${dollars(quotePrice(quote))}`;
  const arrival = timePhrase(quote.dropoff_eta, { now, times: times ?? 'relative' });
  return `${quote.provider.padEnd(width)}  ${price}, arrives ${arrival}`;
}

function dispatchStep({ route, text }: Outcome): StepText {
  return {
    title: 'Dispatch with the cheapest quote',
    about: 'This books the courier, and each order becomes a delivery.',
    command: shellLine(invocation('dispatch', [route.id], { cheapest: true })),
    happened: [text, ...route.deliveries.map(({ id, status }) => `${id} is ${status}.`)],
    data: route,
  };
}

/** The clock is accelerated, so that the delivery with this ID takes seconds. */
function followStep(id: string, data: { rate: number }): StepText {
  return {
    title: 'Follow it to the door',
    about: 'The status changes as the courier reports. Couriers may skip statuses.',
    command: shellLine(invocation('sandbox clock', ['scaled'], { rate: data.rate })),
    happened: [`The sandbox clock now runs ${lengthText(data.rate * 1000)} per second.`, `Following ${id}:`],
    data,
  };
}

function deliveredStep(data: Delivery, charges: readonly Charge[]): StepText {
  const took = Date.parse(data.updated_at) - Date.parse(data.created_at);
  const proof = data.proof_of_delivery.map(({ type }) => type).join(', ');
  return {
    title: 'See the result',
    about: 'The delivery keeps the proof and every status; each payment is a charge.',
    command: shellLine(invocation('deliveries explain', [data.id])),
    happened: [
      `${data.id} is ${data.status} after ${tookText(took)}, by ${data.service}.`,
      `Proof: ${proof === '' ? 'none' : proof}.`,
      ...charges.map(({ kind, amount }) => `Charged: ${dollars(amount)} (${kind}).`),
    ],
    data: { delivery: data, charges },
  };
}

function lineOf(event: TourEvent, show: Formatters): string {
  return event.type === 'status' ? statusLine(event, show) : wrapProse(stepText(event, show), show.room);
}

function stepText(event: Exclude<TourEvent, TourStatus>, show: Formatters): string {
  if (event.type === 'done') {
    const rows = event.next.map((each) => [{ text: each.command }, { text: each.when, paint: show.dim }]);
    const head = '\nThat was a complete delivery. Its temporary service was deleted. Next:';
    return [head, ...alignedRows(rows, { room: show.room })].join('\n');
  }
  const { step, title, about, command, happened } = event;
  const lines = [`${step}. ${title}`, `   ${show.dim(about)}`, `   $ ${command}`];
  return [...(step === 1 ? [] : ['']), ...lines, ...happened.map((line) => `   ${line}`)].join('\n');
}

function statusLine(event: TourStatus, show: Formatters): string {
  const { status, created_at, courier_name, progress } = event;
  const row: Cell[] = [
    { text: show.clock(created_at) },
    { text: `${Math.round(progress * 100)} %`, paint: show.dim, isRight: true, width: '100 %'.length },
    { text: statusWord(status), paint: show.status, width: statusWidth },
    { text: oneLine(courier_name ?? '') },
  ];
  return alignedRows([row], { room: show.room, indent: 3 }).join('\n');
}

/** Commands that work as they are printed, without the tour's service. */
function nextSteps({ interactive }: Context): NextStep[] {
  const help = { help: true } as const;
  return [
    interactive
      ? { ...invocation('orders create'), when: 'create your own order, with prompts' }
      : { ...invocation('orders create', [], help), when: 'see the flags for your own order' },
    { ...invocation('sandbox scenarios'), when: 'see other outcomes and how to simulate them' },
    { ...invocation('serve'), when: 'run the service as an HTTP API' },
    { ...invocation('login', [], help), when: 'see how another service is used' },
  ];
}

/** In a clone whose program is not on the PATH: the line that puts it there. */
function pathStep({ environment, platform, program }: Host): StepObject[] {
  const folder = dirname(program);
  const isClone = platform !== 'win32' && existsSync(join(dirname(folder), 'src'));
  const folders = (environment.PATH ?? '').split(delimiter);
  if (!isClone || folders.some((each) => existsSync(join(each, 'waybill')))) return [];
  return [{ args: [], command: `PATH=${quoted(folder)}:$PATH`, when: 'use waybill in this shell' }];
}
