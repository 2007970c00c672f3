import { ifSupported, refusedWith } from '../../../client/errors.ts';
import type { Route } from '../../../contract/routes.ts';
import type { Store } from '../../../contract/stores.ts';
import { isBlank } from '../../kit/args/input.ts';
import { type Choice, WentBack } from '../../kit/host/host.ts';
import { invocation } from '../../kit/result/message.ts';
import { orderFlags } from '../../nouns/order-flags.ts';
import { copyOf } from '../../nouns/order-input.ts';
import { checkPlaces } from '../../nouns/place.ts';
import { distanceText, fetchRoute } from '../../nouns/route.ts';
import {
  addOrders,
  cancelOrder,
  createDraft,
  deleteRoute,
  handleTakenRoute,
  reconcileOrders,
  sendRoute,
  settleOrders,
  settleRoute,
} from './planned-orders.ts';
import {
  type Answers,
  allFields,
  answered,
  answersOf,
  type Draft,
  type Field,
  faultOf,
  firstOpen,
  isAnswered,
  isNeeded,
  isRouteCurrent,
  itemLine,
  labelOf,
  leave,
  numbersIn,
  orderIds,
  type Plan,
  type PlannedOrder,
  Quit,
  questionOf,
  questionsFor,
  type Run,
  shownIn,
  storedForm,
  summaryOf,
  type Turn,
  unlessBack,
  withoutOrder,
  withoutRoute,
} from './steps.ts';

/** The answer that clears a field. */
const none = '-';
const forNone = `(${none} for none)`;

/** The answers so far, and the items entered while the user may add more. */
interface Answered {
  answers: Answers;
  items?: readonly string[];
}

/** Saves the input after each answer. */
type Keep = (answered: Answered) => void;

/**
 * Asks for the required fields of an order, starting at the first unanswered one, else at the last one. False if the
 * user went back from the first question.
 */
async function interview(run: Run, given: Required<Answered>, keep: Keep): Promise<boolean> {
  let { answers } = given;
  const items = typing(given.items, (typed) => keep({ answers, items: typed }));
  let at = Math.min(firstOpen(answers), questionsFor(answers).length - 1);
  let isBack = false;
  for (;;) {
    const field = questionsFor(answers)[at];
    if (field === undefined) return true;
    // Without saved places the question for one is not asked: going back skips it.
    const isPassed: boolean = isBack && field === 'store' && (await savedPlaces(run)).length === 0;
    const next: Answers | null = isPassed
      ? null
      : await unlessBack(() => askField(run, field, answers, items));
    if (next === null && at === 0) return false;
    isBack = next === null;
    at += isBack ? -1 : 1;
    answers = next ?? answers;
    if (next !== null) keep({ answers, ...(field === 'item' ? { items: [] } : {}) });
  }
}

/** The items of an order while they are being entered. */
interface Typing {
  items: readonly string[];
  keep(items: readonly string[]): void;
}

function typing(items: readonly string[], keep: Typing['keep']): Typing {
  const now: Typing = {
    items,
    keep: (typed) => {
      now.items = typed;
      keep(typed);
    },
  };
  return now;
}

/** Asks for one field and proposes its current answer. Rejects with WentBack. */
async function askField(
  run: Run,
  field: Field,
  answers: Answers,
  items = typing([], () => {}),
): Promise<Answers> {
  if (field === 'store') return answered(answers, field, await askStore(run, answers));
  if (field === 'item') return answered(answers, field, await askItems(run, answers, items));
  const { kind } = orderFlags[field];
  if (kind === 'choice' || kind === 'switch')
    return answered(answers, field, await askChoice(run, field, answers));
  const initial = answers[field]?.[0];
  const isFree = !isNeeded(field);
  const hint = isFree && initial !== undefined ? forNone : undefined;
  const text = await run.prompts.text(questionOf(field), {
    ...{ initial, hint, back: true },
    check: (typed) => (isFree && isNothing(typed) ? null : faultOf(field, typed)),
    format: (typed) => storedForm(field, typed),
  });
  const meant = storedForm(field, text);
  if (meant !== initial) typedHere(run, meant);
  if (field === 'pickupAddress' || field === 'dropoffAddress') await warnOfPlace(run, meant);
  return answered(answers, field, isFree && isNothing(text) ? [] : [meant]);
}

/** How long the wizard waits for the geocoder. */
const place_limit_ms = 2_000;

/** Says that the geocoder does not find an address: it may be wrong, or too new for the map. */
async function warnOfPlace({ context, say }: Run, address: string): Promise<void> {
  const warning = (await checkPlaces(context, [address], place_limit_ms))?.warnings.get(address);
  if (warning !== undefined) say(`"${address}" ${warning}. Check it; a courier may not find it either.`);
}

/** A number that the user has typed is not masked. */
function typedHere({ plan, keep }: Run, text: string): void {
  if (plan.numbers.includes(text)) keep({ ...plan, numbers: plan.numbers.filter((each) => each !== text) });
}

function isNothing(text: string): boolean {
  return isBlank(text) || text.trim() === none;
}

/** The maximum number of saved places to choose from. */
const max_stores = 100;

async function savedPlaces({ context }: Run): Promise<Store[]> {
  const client = await context.client();
  const found = await ifSupported(client.stores.list({ query: { limit: max_stores } }), null);
  return found === null ? [] : found.data.data;
}

/** The name and address of the chosen place; its ID if it is not among those to choose from. */
async function storeText(run: Run, { store }: Answers): Promise<string> {
  const id = store?.[0];
  const found = id === undefined ? undefined : (await savedPlaces(run)).find((each) => each.id === id);
  return found === undefined ? `the store ${id}` : `${found.name}, ${found.address}`;
}

/** Asks for a saved place, if the account has any. A user who chooses none enters the fields of the pickup. */
async function askStore(run: Run, answers: Answers): Promise<string[]> {
  const saved = await savedPlaces(run);
  if (saved.length === 0) return [];
  const stores = saved.map(({ id, name, address }) => ({ name: `${name}, ${address}`, value: [id] }));
  const typed: Choice<string[]> = { name: 'Enter another address', value: [] };
  const initial = stores.find(({ value }) => value[0] === answers.store?.[0])?.value;
  const proposed = initial ?? (answers.pickupAddress === undefined ? undefined : typed.value);
  return run.prompts.select('Where is it picked up? (saved places, --store)', [...stores, typed], {
    initial: proposed,
    back: true,
  });
}

/** Asks for items until an empty answer. Going back asks for the previous item again. */
async function askItems(run: Run, answers: Answers, { items, keep }: Typing): Promise<string[]> {
  const proposed = [...(answers.item ?? items)];
  const texts: string[] = [];
  for (;;) {
    const at = texts.length;
    const isFirst = texts.every(isNothing) && answers.itemsDescription === undefined;
    const initial = proposed[at];
    const isOnly = isFirst && at >= proposed.length - 1;
    const text = await unlessBack(() => askItem(run, { isFirst, isOnly, initial }));
    if (text === null && at === 0) throw new WentBack();
    if (text === null) texts.pop();
    else if (isNothing(text) && at >= proposed.length) return texts.filter((each) => !isNothing(each));
    else {
      texts.push(text);
      if (!isNothing(text)) proposed[at] = text;
      keep(proposed);
    }
  }
}

interface Item {
  isFirst: boolean;
  /** Whether it is the only item, which is required. */
  isOnly: boolean;
  initial: string | undefined;
}

function askItem({ prompts }: Run, { isFirst, isOnly, initial }: Item): Promise<string> {
  const question = isFirst ? questionOf('item') : 'Another item? (Enter to finish)';
  const hint = isOnly || initial === undefined ? undefined : forNone;
  return prompts.text(question, {
    ...{ initial, hint, back: true },
    check: (typed) => (isNothing(typed) && !isOnly ? null : faultOf('item', typed)),
  });
}

async function askChoice({ prompts }: Run, field: Field, answers: Answers): Promise<string[]> {
  const { kind, choices: names } = orderFlags[field];
  const words: Choice<string>[] =
    kind === 'switch'
      ? [
          { name: 'yes', value: 'true' },
          { name: 'no', value: 'false' },
        ]
      : names.map((name) => ({ name, value: name }));
  const initial = answers[field]?.[0] ?? '';
  const unset = field === 'vehicle' ? 'Any vehicle' : 'Not specified';
  const choices = [{ name: unset, value: '' }, ...words];
  return [await prompts.select(questionOf(field), choices, { initial, back: true })];
}

/** Lets the user edit any field, until they are done. */
async function editFields(run: Run, given: Answers, keep: Keep): Promise<void> {
  let answers = given;
  for (;;) {
    const shown = shownIn(run, answers);
    const fields = allFields(answers).map((field) => ({
      name: [labelOf(field), ...(shown[field] === undefined ? [] : [shown[field].join('; ')])].join(': '),
      value: field,
    }));
    const field = await unlessBack(() =>
      run.prompts.select('Which field?', [{ name: 'Done', value: null }, ...fields], { back: true }),
    );
    if (field === null) return;
    answers = (await unlessBack(() => askAgain(run, field, answers, keep))) ?? answers;
    keep({ answers });
  }
}

/** Asks for a field that may have an answer; several items are changed one by one. Rejects with WentBack. */
function askAgain(run: Run, field: Field, answers: Answers, keep: Keep): Promise<Answers> {
  const hasItems = field === 'item' && (answers.item ?? []).length > 0;
  return hasItems ? editItems(run, answers, keep) : askField(run, field, answers);
}

/** The answer that removes an item. */
const remove = '-';

/** Lets the user change, remove and add items one by one until they are done; each change is saved. */
async function editItems(
  run: Run,
  given: Answers,
  keep: (changed: { answers: Answers }) => void,
): Promise<Answers> {
  let answers = given;
  for (;;) {
    const items = answers.item ?? [];
    const isChanged = answers !== given;
    const action = await unlessBack(() => chooseAction(run, items, isChanged));
    if (action === null || action === 'done') return answers;
    const texts = await unlessBack(() => changedItems(run, answers, action));
    if (texts === null) continue;
    answers = answered(answers, 'item', texts);
    keep({ answers });
  }
}

type Action = number | 'add' | 'done';

/** Asks for the item to change, by its index, or for another one. One can go back until something is changed. */
function chooseAction({ prompts }: Run, items: readonly string[], isChanged: boolean) {
  return prompts.select<Action>(
    'Which item?',
    [
      { name: 'Done', value: 'done' },
      ...items.map((item, at) => ({ name: itemLine(item), value: at })),
      { name: 'Add an item', value: 'add' },
    ],
    isChanged ? {} : { back: true },
  );
}

/** Asks for one item and returns all of them. Rejects with WentBack. */
async function changedItems({ prompts }: Run, answers: Answers, at: number | 'add'): Promise<string[]> {
  const items = [...(answers.item ?? [])];
  if (at === 'add') {
    const check = (typed: string) => faultOf('item', typed);
    return [...items, await prompts.text(questionOf('item'), { back: true, check })];
  }
  const isNeeded = items.length === 1 && answers.itemsDescription === undefined;
  const text = await prompts.text(questionOf('item'), {
    ...{ initial: items[at], back: true, hint: isNeeded ? undefined : `(${remove} to remove it)` },
    check: (typed) => (typed.trim() === remove ? neededFault(isNeeded) : faultOf('item', typed)),
  });
  return text.trim() === remove ? items.toSpliced(at, 1) : items.with(at, text);
}

function neededFault(isNeeded: boolean): string | null {
  return isNeeded ? 'It is the only item: add another one before you remove it.' : null;
}

/** The maximum number of orders of a route. */
const max_orders = 25;

type OrdersAction = 'next' | 'new' | 'typed' | 'open' | 'change' | 'out' | 'leave';

/** Collects the orders to deliver: new ones and open ones. */
export async function ordersStep(run: Run): Promise<Turn> {
  await settleOrders(run);
  const listsOrders = run.context.has('orders');
  const action = await run.prompts.select(
    'What would you like to send?',
    ordersActions(run.plan, listsOrders),
  );
  if (action === 'next') return 'next';
  if (action === 'leave') throw new Quit();
  if (action === 'new') begin(run, { answers: {}, items: [], replaces: null });
  if (action === 'new' || action === 'typed') await enterOrder(run);
  if (action === 'open') await addOpenOrders(run);
  if (action === 'change') await editOrder(run);
  if (action === 'out') await removeOrder(run);
  return 'again';
}

/** The possible actions, the most likely one first. */
function ordersActions(plan: Plan, listsOrders: boolean): Choice<OrdersAction>[] {
  const count = orderIds(plan).length;
  const isFull = count >= max_orders;
  const going: Choice<OrdersAction> = {
    name: count === 1 ? 'Continue: create a route' : `Continue: create a route of ${count} orders`,
    value: 'next',
  };
  const more: Choice<OrdersAction>[] = [
    { name: count === 0 ? 'Create a new order' : 'Create another order', value: 'new' },
    ...(listsOrders ? [{ name: 'Add open orders', value: 'open' } as const] : []),
  ];
  return [
    ...(plan.draft === null ? [] : [{ name: 'Continue the unfinished order', value: 'typed' } as const]),
    ...(count === 0 ? [] : [going]),
    ...(isFull ? [] : more),
    ...(count === 0 ? [] : [{ name: 'Edit an order', value: 'change' } as const]),
    ...(count === 0 ? [] : [{ name: 'Remove an order', value: 'out' } as const]),
    leave,
  ];
}

function begin(run: Run, draft: Draft): void {
  run.keep({ ...run.plan, draft });
}

/** Leads from the first question to the created order. The user can go back at every question. */
async function enterOrder(run: Run): Promise<void> {
  const keep = (answered: Answered) => begin(run, { ...draftOf(run), ...answered });
  let isTyping = isAnswered(draftOf(run).answers) || (await interview(run, draftOf(run), keep));
  while (isTyping) {
    const { answers } = draftOf(run);
    const store = await storeText(run, answers);
    for (const line of summaryOf(shownIn(run, answers), store)) run.say(`  ${line}`);
    const action = await unlessBack(() => run.prompts.select('Create this order?', reviews, { back: true }));
    if (action === null) isTyping = await interview(run, draftOf(run), keep);
    else if (action === 'change') await editFields(run, draftOf(run).answers, keep);
    else if (action === 'make') isTyping = await createOrAskAgain(run, keep);
    else return run.keep({ ...run.plan, draft: null });
  }
}

const reviews: Choice<'make' | 'change' | 'drop'>[] = [
  { name: 'Create order', value: 'make' },
  { name: 'Edit or add fields', value: 'change' },
  { name: 'Discard', value: 'drop' },
];

function draftOf({ plan }: Run): Draft {
  return plan.draft ?? { answers: {}, items: [], replaces: null };
}

/** Creates the order, and asks again for the fields that the service refuses. True if the order is not created yet. */
async function createOrAskAgain(run: Run, keep: Keep): Promise<boolean> {
  const wrong = await createDraft(run, draftOf(run));
  if (wrong === null) return false;
  for (const field of wrong) {
    const answers = await unlessBack(() => askAgain(run, field, draftOf(run).answers, keep));
    if (answers === null) break;
    keep({ answers });
  }
  return true;
}

const max_open_orders = 100;

async function addOpenOrders(run: Run): Promise<void> {
  const client = await run.context.client();
  const query = { status: ['open' as const], limit: max_open_orders };
  const { data, has_more } = (await client.orders.list({ query })).data;
  const mine = new Set(orderIds(run.plan));
  const free = data.filter(({ id }) => !mine.has(id));
  run.say('List all open orders with:');
  run.tell(invocation('orders list', [], { status: 'open' }));
  if (free.length === 0) return run.say('There are no other open orders.');
  if (has_more) run.say(`Showing the latest ${max_open_orders}.`);
  const choices = free.map(({ id, dropoff_name, dropoff_address, external_order_ref }) => ({
    name: [id, external_order_ref, dropoff_name, dropoff_address].filter((text) => text !== '').join(', '),
    value: id,
  }));
  const picked = await unlessBack(() => run.prompts.checkbox('Which orders?', choices, { back: true }));
  if (picked?.length === 0) run.say('No order was selected.');
  const room = max_orders - mine.size;
  if (picked !== null && picked.length > room)
    run.say(`A route takes at most ${max_orders} orders: only the first ${room} were added.`);
  addOrders(run, (picked ?? []).slice(0, room));
}

async function chooseOrder({ plan, prompts }: Run): Promise<PlannedOrder | null> {
  const there = plan.orders.filter(({ id }) => id !== null);
  const [only] = there;
  if (there.length === 1 && only !== undefined) return only;
  const choices = there.map((order) => ({ name: nameOf(order), value: order }));
  return unlessBack(() => prompts.select('Which order?', choices, { back: true }));
}

function nameOf({ id, answers }: PlannedOrder): string {
  return [id, ...(answers.dropoffName ?? [])].join(', ');
}

/** Edits an order: the service cannot change one, so a new order is created and the old one canceled. */
async function editOrder(run: Run): Promise<void> {
  const order = await chooseOrder(run);
  if (order === null || order.id === null) return;
  const answers = order.isOurs ? order.answers : await answersFrom(run, order.id);
  begin(run, { answers, items: [], replaces: order.id });
  run.say(`Saving creates a new order and cancels ${order.id}.`);
  await editFields(run, answers, (answered) => begin(run, { ...draftOf(run), ...answered }));
  if (JSON.stringify(draftOf(run).answers) !== JSON.stringify(answers)) return enterOrder(run);
  run.keep({ ...run.plan, draft: null });
  run.say(`No changes: ${order.id} stays as it is.`);
}

async function answersFrom(run: Run, order_id: string): Promise<Answers> {
  const { context } = run;
  const client = await context.client();
  const { data } = await client.orders.get({ params: { order_id } });
  const answers = answersOf(copyOf(data, context.serviceNow()));
  run.keep({ ...run.plan, numbers: [...new Set([...run.plan.numbers, ...numbersIn(answers)])] });
  return answers;
}

async function removeOrder(run: Run): Promise<void> {
  const order = await chooseOrder(run);
  if (order === null || order.id === null) return;
  const fates = [
    { name: 'Keep it open', value: 'open' },
    { name: 'Cancel it', value: 'close' },
  ] as const;
  const fate = await unlessBack(() =>
    run.prompts.select(`What should happen to ${order.id}?`, fates, { back: true }),
  );
  if (fate === null) return;
  await deleteRoute(run);
  if (fate === 'close') await cancelOrder(run, order.id);
  run.keep(withoutOrder(run.plan, order.number));
}

type RouteAction = 'quotes' | 'turn' | 'leave';

/** Makes sure that there is a draft route of the current orders; an outdated one is deleted first. */
export async function routeStep(run: Run): Promise<Turn> {
  if (orderIds(run.plan).length === 0) return 'back';
  const route = await draftRoute(run);
  if (route === null) return 'again';
  if (route.status !== 'draft') return handleTakenRoute(run, route);
  for (const { sequence, kind, address } of route.stops) run.say(`  ${sequence}. ${kind} at ${address}`);
  // A service may not describe its routes.
  const isKnown = route.stops.length > 0;
  const message = `${isKnown ? `${route.stops.length} stops, ${distanceText(route)}. ` : ''}What now?`;
  const action = await unlessBack(() => run.prompts.select(message, routeActions(run.plan), { back: true }));
  if (action === null) return 'back';
  if (action === 'leave') throw new Quit();
  if (action === 'quotes') return 'next';
  run.keep({ ...run.plan, optimize: !run.plan.optimize });
  return 'again';
}

function routeActions(plan: Plan): Choice<RouteAction>[] {
  const turned = plan.optimize ? 'Keep the stops in the given order' : 'Optimize the order of the stops';
  return [
    { name: 'Request quotes', value: 'quotes' },
    ...(orderIds(plan).length > 1 ? [{ name: turned, value: 'turn' } as const] : []),
    leave,
  ];
}

/** Returns the draft route; null if an order is no longer open, after removing it from the plan. */
async function draftRoute(run: Run): Promise<Route | null> {
  await settleRoute(run);
  const known = run.plan.route;
  if (known?.id && isRouteCurrent(run.plan)) {
    const route = await fetchRoute(run.context, known.id);
    if (route !== null) return route;
    run.say(`Route ${known.id} no longer exists.`);
    run.keep(withoutRoute(run.plan));
  }
  await deleteRoute(run);
  const { plan } = run;
  const number = plan.count + 1;
  const planned = { number, order_ids: orderIds(plan), optimize: plan.optimize, id: null };
  run.keep({ ...withoutRoute(plan), count: number, route: planned });
  try {
    const route = await sendRoute(run, planned);
    run.say(`Created draft route ${route.id}. Equivalent command:`);
    const flags = planned.order_ids.length > 1 && !planned.optimize ? ['--no-optimize'] : [];
    run.tell(invocation('routes create', [...planned.order_ids, ...flags]));
    return route;
  } catch (error) {
    if (!refusedWith(error, 'order_not_open', 'record_not_found')) throw error;
    run.keep(withoutRoute(run.plan));
    if (!(await reconcileOrders(run))) throw error;
    return null;
  }
}
