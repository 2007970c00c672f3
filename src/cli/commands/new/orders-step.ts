import { max_route_orders } from '../../../contract/vocabulary.ts';
import type { Choice } from '../../kit/host/host.ts';
import { invocation } from '../../kit/result/message.ts';
import { copyOf } from '../../nouns/order-input.ts';
import { answersOf, isAnswered, numbersIn, shownIn, summaryOf } from './answers.ts';
import { askAgain, editFields, interview, storeText } from './order-questions.ts';
import { type Answers, emptyDraft, orderIds, type Plan, type PlannedOrder, withoutOrder } from './plan.ts';
import { addOrders, cancelOrder, createDraft, deleteRoute, settleOrders } from './planned-orders.ts';
import { draftOf, leave, Quit, type Run, saveDraft, type Turn, unlessBack } from './run.ts';

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
  if (action === 'new') saveDraft(run, emptyDraft);
  if (action === 'new' || action === 'typed') await enterOrder(run);
  if (action === 'open') await addOpenOrders(run);
  if (action === 'change') await editOrder(run);
  if (action === 'out') await removeOrder(run);
  return 'again';
}

/** The possible actions, the most likely one first. */
function ordersActions(plan: Plan, listsOrders: boolean): Choice<OrdersAction>[] {
  const count = orderIds(plan).length;
  const isFull = count >= max_route_orders;
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

/** Leads from the first question to the created order. The user can go back at every question. */
async function enterOrder(run: Run): Promise<void> {
  let isTyping = isAnswered(draftOf(run).answers) || (await interview(run));
  while (isTyping) {
    const { answers } = draftOf(run);
    const store = await storeText(run, answers);
    for (const line of summaryOf(shownIn(run, answers), store)) run.say(`  ${line}`);
    const action = await unlessBack(() => run.prompts.select('Create this order?', reviews, { back: true }));
    if (action === null) isTyping = await interview(run);
    else if (action === 'change') await editFields(run);
    else if (action === 'make') isTyping = await createOrAskAgain(run);
    else return run.keep({ ...run.plan, draft: null });
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
  const room = max_route_orders - mine.size;
  if (picked !== null && picked.length > room)
    run.say(`A route takes at most ${max_route_orders} orders: only the first ${room} were added.`);
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
  saveDraft(run, { answers, items: [], replaces: order.id });
  run.say(`Saving creates a new order and cancels ${order.id}.`);
  await editFields(run);
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
