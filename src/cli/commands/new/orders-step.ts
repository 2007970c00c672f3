/** The first step of the wizard: entering, copying, changing and removing the orders to deliver. */
import { ifSupported } from '../../../client/errors.ts';
import type { Store } from '../../../contract/places.ts';
import { max_route_orders } from '../../../contract/vocabulary.ts';
import { isBlank } from '../../kit/args/command-input.ts';
import { type Choice, WentBack } from '../../kit/host/host.ts';
import { invocation } from '../../kit/result/message.ts';
import { checkPlaces } from '../../nouns/address-checks.ts';
import { copyOf } from '../../nouns/order-copy.ts';
import { orderFlags } from '../../nouns/order-flags.ts';
import { loadGazetteer, readLoadedAddress } from '../../session/gazetteer.ts';
import {
  allFields,
  answersOf,
  describeField,
  type Field,
  faultOf,
  firstUnanswered,
  isAnswered,
  isRequired,
  itemLine,
  maskedAnswers,
  orderSummaryLines,
  phoneNumbersIn,
  questionOf,
  questionsFor,
  readingText,
  storedForm,
  withAnswer,
} from './answers.ts';
import {
  addOrders,
  cancelOrder,
  createDraft,
  deleteRoute,
  finishUnansweredOrders,
} from './orders-and-route.ts';
import { type Answers, emptyDraft, orderIds, type Plan, type PlannedOrder, withoutOrder } from './plan.ts';
import { draftOf, leaveChoice, nullIfBack, Quit, type Run, type StepResult, saveDraft } from './run.ts';

type OrdersAction = 'next' | 'new' | 'resume' | 'open' | 'edit' | 'remove' | 'leave';

/** Collects the orders to deliver: new ones and open ones. */
export async function ordersStep(run: Run): Promise<StepResult> {
  await finishUnansweredOrders(run);
  const listsOrders = run.context.has('orders');
  const action = await run.prompts.select(
    'What would you like to send?',
    ordersActions(run.plan, listsOrders),
  );
  if (action === 'next') return 'next';
  if (action === 'leave') throw new Quit();
  if (action === 'new') saveDraft(run, emptyDraft);
  if (action === 'new' || action === 'resume') await enterOrder(run);
  if (action === 'open') await addOpenOrders(run);
  if (action === 'edit') await editOrder(run);
  if (action === 'remove') await removeOrder(run);
  return 'again';
}

/** The possible actions, the most likely one first. */
function ordersActions(plan: Plan, listsOrders: boolean): Choice<OrdersAction>[] {
  const count = orderIds(plan).length;
  const isFull = count >= max_route_orders;
  const next: Choice<OrdersAction> = {
    name: count === 1 ? 'Continue: create a route' : `Continue: create a route of ${count} orders`,
    value: 'next',
  };
  const more: Choice<OrdersAction>[] = [
    { name: count === 0 ? 'Create a new order' : 'Create another order', value: 'new' },
    ...(listsOrders ? [{ name: 'Add open orders', value: 'open' } as const] : []),
  ];
  return [
    ...(plan.draft === null ? [] : [{ name: 'Continue the unfinished order', value: 'resume' } as const]),
    ...(count === 0 ? [] : [next]),
    ...(isFull ? [] : more),
    ...(count === 0 ? [] : [{ name: 'Edit an order', value: 'edit' } as const]),
    ...(count === 0 ? [] : [{ name: 'Remove an order', value: 'remove' } as const]),
    leaveChoice,
  ];
}

/** Leads from the first question to the created order. The user can go back at every question. */
async function enterOrder(run: Run): Promise<void> {
  let isTyping = isAnswered(draftOf(run).answers) || (await interview(run));
  while (isTyping) {
    const { answers } = draftOf(run);
    const store = await storeText(run, answers);
    for (const line of orderSummaryLines(maskedAnswers(run, answers), store)) run.print(`  ${line}`);
    await loadGazetteer();
    run.print(readingText(answers));
    const action = await nullIfBack(() => run.prompts.select('Create this order?', reviews, { back: true }));
    if (action === null) isTyping = await interview(run);
    else if (action === 'change') await editFields(run);
    else if (action === 'make') isTyping = await createOrAskAgain(run);
    else return run.savePlan({ ...run.plan, draft: null });
  }
}

const reviews: Choice<'make' | 'change' | 'drop'>[] = [
  { name: 'Create order', value: 'make' },
  { name: 'Edit or add fields', value: 'change' },
  { name: 'Discard', value: 'drop' },
];

/** Creates the order, and asks again for the fields that the service refuses. True if the order is not created yet. */
async function createOrAskAgain(run: Run): Promise<boolean> {
  const wrong = await createDraft(run, draftOf(run));
  if (wrong === null) return false;
  for (const field of wrong) if (!(await askAgain(run, field))) break;
  return true;
}

const max_open_orders = 100;

async function addOpenOrders(run: Run): Promise<void> {
  const client = await run.context.client();
  const query = { status: ['open' as const], limit: max_open_orders };
  const { data, has_more } = (await client.orders.list({ query })).data;
  const mine = new Set(orderIds(run.plan));
  const free = data.filter(({ id }) => !mine.has(id));
  run.print('List all open orders with:');
  run.printCommand(invocation('orders list', [], { status: 'open' }));
  if (free.length === 0) return run.print('There are no other open orders.');
  if (has_more) run.print(`Showing the latest ${max_open_orders}.`);
  const choices = free.map(({ id, dropoff_name, dropoff_address, external_order_ref }) => ({
    name: [id, external_order_ref, dropoff_name, dropoff_address].filter((text) => text !== '').join(', '),
    value: id,
  }));
  const picked = await nullIfBack(() => run.prompts.checkbox('Which orders?', choices, { back: true }));
  if (picked?.length === 0) run.print('No order was selected.');
  const room = max_route_orders - mine.size;
  if (picked !== null && picked.length > room)
    run.print(`A route takes at most ${max_route_orders} orders: only the first ${room} were added.`);
  addOrders(run, (picked ?? []).slice(0, room));
}

async function chooseOrder({ plan, prompts }: Run): Promise<PlannedOrder | null> {
  const there = plan.orders.filter(({ id }) => id !== null);
  const [only] = there;
  if (there.length === 1 && only !== undefined) return only;
  const choices = there.map((order) => ({ name: nameOf(order), value: order }));
  return nullIfBack(() => prompts.select('Which order?', choices, { back: true }));
}

function nameOf({ id, answers }: PlannedOrder): string {
  return [id, ...(answers.dropoffName ?? [])].join(', ');
}

/** Edits an order: the service cannot change one, so a new order is created and the old one canceled. */
async function editOrder(run: Run): Promise<void> {
  const order = await chooseOrder(run);
  if (order === null || order.id === null) return;
  const answers = order.isOurs ? order.answers : await answersFrom(run, order.id);
  saveDraft(run, { answers, items: [], replaces: order.id });
  run.print(`Saving creates a new order and cancels ${order.id}.`);
  await editFields(run);
  if (JSON.stringify(draftOf(run).answers) !== JSON.stringify(answers)) return enterOrder(run);
  run.savePlan({ ...run.plan, draft: null });
  run.print(`No changes: ${order.id} stays as it is.`);
}

async function answersFrom(run: Run, order_id: string): Promise<Answers> {
  const { context } = run;
  const client = await context.client();
  const { data } = await client.orders.get({ params: { order_id } });
  const answers = answersOf(copyOf(data, context.serviceNow()));
  run.savePlan({ ...run.plan, numbers: [...new Set([...run.plan.numbers, ...phoneNumbersIn(answers)])] });
  return answers;
}

async function removeOrder(run: Run): Promise<void> {
  const order = await chooseOrder(run);
  if (order === null || order.id === null) return;
  const fates = [
    { name: 'Keep it open', value: 'open' },
    { name: 'Cancel it', value: 'close' },
  ] as const;
  const fate = await nullIfBack(() =>
    run.prompts.select(`What should happen to ${order.id}?`, fates, { back: true }),
  );
  if (fate === null) return;
  await deleteRoute(run);
  if (fate === 'close') await cancelOrder(run, order.id);
  run.savePlan(withoutOrder(run.plan, order.number));
}

/**
 * Asks for the required fields of the draft, starting at the first unanswered one, else at the last one. Each answer is
 * saved. False if the user went back from the first question.
 */
async function interview(run: Run): Promise<boolean> {
  const given = draftOf(run).answers;
  let at = Math.min(firstUnanswered(given), questionsFor(given).length - 1);
  let isBack = false;
  for (;;) {
    const { answers } = draftOf(run);
    const field = questionsFor(answers)[at];
    if (field === undefined) return true;
    // Without saved places the question for one is not asked: going back skips it.
    const isPassed: boolean = isBack && field === 'store' && (await fetchStores(run)).length === 0;
    const next: Answers | null = isPassed ? null : await nullIfBack(() => askField(run, field, answers));
    if (next === null && at === 0) return false;
    isBack = next === null;
    at += isBack ? -1 : 1;
    if (next !== null) saveDraft(run, { answers: next, ...(field === 'item' ? { items: [] } : {}) });
  }
}

/** The answer that clears a field, or removes an item. */
const none = '-';

const forNone = `(${none} for none)`;

/** Asks for one field and proposes its current answer. Rejects with WentBack. */
async function askField(run: Run, field: Field, answers: Answers): Promise<Answers> {
  if (field === 'store') return withAnswer(answers, field, await askStore(run, answers));
  if (field === 'item') return withAnswer(answers, field, await askItems(run, answers));
  const { kind } = orderFlags[field];
  if (kind === 'choice' || kind === 'switch')
    return withAnswer(answers, field, await askChoice(run, field, answers));
  const initial = answers[field]?.[0];
  const isFree = !isRequired(field);
  const hint = isFree && initial !== undefined ? forNone : undefined;
  const text = await run.prompts.text(questionOf(field), {
    initial,
    hint,
    back: true,
    check: (typed) => (isFree && isNothing(typed) ? null : faultOf(field, typed)),
    format: (typed) => storedForm(field, typed),
  });
  const meant = storedForm(field, text);
  if (meant !== initial) unmaskTyped(run, meant);
  if (field === 'pickupAddress' || field === 'dropoffAddress') await warnOfPlace(run, meant);
  return withAnswer(answers, field, isFree && isNothing(text) ? [] : [meant]);
}

/** How long the wizard waits for the geocoder. */
const place_limit_ms = 2_000;

/** Says what may be wrong with an address, or that the geocoder does not find it: it may be too new for the map. */
async function warnOfPlace({ context, print }: Run, address: string): Promise<void> {
  await loadGazetteer();
  const read = readLoadedAddress(address);
  const said = 'fault' in read ? [read.fault] : [...read.warnings, ...read.changes];
  if (said.length > 0) print(`"${address}" ${said.join('; ')}.`);
  if ('fault' in read) return;
  if (said.length > 0) print(`It is read as ${read.address}.`);
  const warning = (await checkPlaces(context, [address], place_limit_ms))?.warnings.get(address);
  if (warning !== undefined) print(`"${address}" ${warning}. Check it; a courier may not find it either.`);
}

/** A number that the user has typed is not masked. */
function unmaskTyped({ plan, savePlan }: Run, text: string): void {
  if (plan.numbers.includes(text))
    savePlan({ ...plan, numbers: plan.numbers.filter((each) => each !== text) });
}

function isNothing(text: string): boolean {
  return isBlank(text) || text.trim() === none;
}

/** The maximum number of saved places to choose from. */
const max_stores = 100;

async function fetchStores({ context }: Run): Promise<Store[]> {
  const client = await context.client();
  const found = await ifSupported(client.stores.list({ query: { limit: max_stores } }), null);
  return found === null ? [] : found.data.data;
}

/** The name and address of the chosen place; its ID if it is not among those to choose from. */
async function storeText(run: Run, { store }: Answers): Promise<string> {
  const id = store?.[0];
  const found = id === undefined ? undefined : (await fetchStores(run)).find((each) => each.id === id);
  return found === undefined ? `the store ${id}` : `${found.name}, ${found.address}`;
}

/** Asks for a saved place, if the account has any. A user who chooses none enters the fields of the pickup. */
async function askStore(run: Run, answers: Answers): Promise<string[]> {
  const saved = await fetchStores(run);
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

/** Asks for items until an empty answer, and saves each. Going back asks for the previous item again. */
async function askItems(run: Run, answers: Answers): Promise<string[]> {
  const proposed = [...(answers.item ?? draftOf(run).items)];
  const texts: string[] = [];
  for (;;) {
    const at = texts.length;
    const isFirst = texts.every(isNothing) && answers.itemsDescription === undefined;
    const initial = proposed[at];
    const isOnly = isFirst && at >= proposed.length - 1;
    const text = await nullIfBack(() => askItem(run, { isFirst, isOnly, initial }));
    if (text === null && at === 0) throw new WentBack();
    if (text === null) texts.pop();
    else if (isNothing(text) && at >= proposed.length) return texts.filter((each) => !isNothing(each));
    else {
      texts.push(text);
      if (!isNothing(text)) proposed[at] = text;
      saveDraft(run, { items: [...proposed] });
    }
  }
}

/** `isOnly`: whether it is the only item, which is required. */
function askItem(
  { prompts }: Run,
  { isFirst, isOnly, initial }: { isFirst: boolean; isOnly: boolean; initial: string | undefined },
): Promise<string> {
  const question = isFirst ? questionOf('item') : 'Another item? (Enter to finish)';
  const hint = isOnly || initial === undefined ? undefined : forNone;
  return prompts.text(question, {
    initial,
    hint,
    back: true,
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

/** Lets the user edit any field of the draft, until they are done. */
async function editFields(run: Run): Promise<void> {
  for (;;) {
    const { answers } = draftOf(run);
    const shown = maskedAnswers(run, answers);
    const fields = allFields(answers).map((each) => ({
      name: [describeField(each), ...(shown[each] === undefined ? [] : [shown[each].join('; ')])].join(': '),
      value: each,
    }));
    const field = await nullIfBack(() =>
      run.prompts.select('Which field?', [{ name: 'Done', value: null }, ...fields], { back: true }),
    );
    if (field === null) return;
    await askAgain(run, field);
  }
}

/** Asks for a field that may have an answer; several items are changed one by one. False if the user went back. */
async function askAgain(run: Run, field: Field): Promise<boolean> {
  const { answers } = draftOf(run);
  if (field === 'item' && (answers.item ?? []).length > 0) {
    await editItems(run);
    return true;
  }
  const next = await nullIfBack(() => askField(run, field, answers));
  if (next !== null) saveDraft(run, { answers: next });
  return next !== null;
}

/** Lets the user change, remove and add items one by one until they are done; each change is saved. */
async function editItems(run: Run): Promise<void> {
  let isChanged = false;
  for (;;) {
    const { answers } = draftOf(run);
    const action = await nullIfBack(() => chooseAction(run, answers.item ?? [], isChanged));
    if (action === null || action === 'done') return;
    const items = await nullIfBack(() => changedItems(run, answers, action));
    if (items === null) continue;
    saveDraft(run, { answers: withAnswer(answers, 'item', items) });
    isChanged = true;
  }
}

type ItemAction = number | 'add' | 'done';

/** Asks for the item to change, by its index, or for another one. One can go back until something is changed. */
function chooseAction({ prompts }: Run, items: readonly string[], isChanged: boolean) {
  return prompts.select<ItemAction>(
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
  const isOnly = items.length === 1 && answers.itemsDescription === undefined;
  const text = await prompts.text(questionOf('item'), {
    initial: items[at],
    back: true,
    hint: isOnly ? undefined : `(${none} to remove it)`,
    check: (typed) => (typed.trim() === none ? onlyItemFault(isOnly) : faultOf('item', typed)),
  });
  return text.trim() === none ? items.toSpliced(at, 1) : items.with(at, text);
}

function onlyItemFault(isOnly: boolean): string | null {
  return isOnly ? 'It is the only item: add another one before you remove it.' : null;
}
