import { ApiError } from '../../../client/errors.ts';
import { correctable, type Fault } from '../../../contract/errors.ts';
import type { OrderRequest } from '../../../contract/orders.ts';
import { phoneIn } from '../../../domain/phones.ts';
import { stateText as unfinishedText } from '../../flow/unfinished.ts';
import { moneyText } from '../../kit/args/flags.ts';
import { flagLabel, givenOf, isBlank, readFlags } from '../../kit/args/input.ts';
import { faultIn } from '../../kit/args/missing-input.ts';
import { type Prompts, WentBack } from '../../kit/host/host.ts';
import { phoneShown } from '../../kit/output/sanitize.ts';
import { dashed, type Invocation, invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { Result } from '../../kit/result/result.ts';
import { orderFieldsOf, orderFlags, readItem } from '../../nouns/order-flags.ts';
import { scheduledOrders } from '../../nouns/order-input.ts';
import type { Context } from '../../session/command.ts';

/** The steps of the manual flow, in their order. */
export const steps = ['orders', 'route', 'quotes', 'choice', 'dispatch'] as const;
export type Step = (typeof steps)[number];

/** The input of an order: texts by the names of the flags of `orders create`. */
export type Answers = Readonly<Record<string, readonly string[]>>;

/** An order of the plan. */
export interface PlannedOrder {
  /** Part of the idempotency key of its creation. */
  number: number;
  /** Whether it is created by this wizard; else it was open before. */
  isOurs: boolean;
  answers: Answers;
  /** The request that creates it, with absolute times so that it can be sent again unchanged. */
  request: Readonly<Record<string, unknown>>;
  /** When it was sent, wall time; null if it was not, or was refused. */
  sent_at: number | null;
  /** Null until the service has answered. */
  id: string | null;
  /** The order to cancel once this one is created. */
  replaces: string | null;
}

/** An order that is being entered. */
export interface Draft {
  answers: Answers;
  /** The items entered so far, while the user may add more. */
  items: readonly string[];
  replaces: string | null;
}

export interface PlannedRoute {
  number: number;
  order_ids: readonly string[];
  optimize: boolean;
  id: string | null;
}

/** A round of quotes. `isAsked` is set once the service has confirmed the request. */
export interface Round {
  number: number;
  isAsked: boolean;
}

export interface PlannedDispatch {
  quote_id: string;
  tip: number | null;
  sent_at: number;
}

/** The state of the wizard: everything needed to resume it. */
export interface Plan {
  version: 1;
  /** The prefix of the idempotency keys of its writes. */
  key: string;
  step: Step;
  /** The number of writes so far. */
  count: number;
  draft: Draft | null;
  orders: readonly PlannedOrder[];
  /** Phone numbers of orders created elsewhere, which the user has not typed: they are displayed masked. */
  numbers: readonly string[];
  optimize: boolean;
  route: PlannedRoute | null;
  round: Round | null;
  quote_id: string | null;
  /** The driver's tip in cents. */
  tip: number | null;
  /** Set once the dispatch is sent, until its outcome is known. */
  dispatch: PlannedDispatch | null;
  /** The absolute path of the file for the script; null if none was requested. */
  script: string | null;
}

export function newPlan(key: string, script: string | null = null): Plan {
  return {
    ...{ version: 1, key, step: 'orders', count: 0, draft: null, orders: [], numbers: [], optimize: true },
    ...{ route: null, round: null, quote_id: null, tip: null, dispatch: null, script },
  };
}

/** Where a step leads: to the next one, the previous one, itself, or a named one. */
type Move = 'next' | 'back' | 'again' | Step;

/** The previous step of each. Back from the choice is the route, as the quotes step needs no input. */
const before = {
  orders: 'orders',
  route: 'orders',
  quotes: 'route',
  choice: 'route',
  dispatch: 'choice',
} as const satisfies Record<Step, Step>;

/** The step that follows a move. */
export function stepAfter(step: Step, move: Move): Step {
  if (move === 'again') return step;
  if (move === 'back') return before[step];
  if (move !== 'next') return move;
  return steps[Math.min(steps.indexOf(step) + 1, steps.length - 1)] ?? step;
}

/** The ids of the created orders. */
export function orderIds({ orders }: Pick<Plan, 'orders'>): string[] {
  return orders.flatMap(({ id }) => id ?? []);
}

/** Orders whose creation or replacement is not finished. */
export function unsettled({ orders }: Pick<Plan, 'orders'>): PlannedOrder[] {
  return orders.filter(({ id, replaces }) => id === null || replaces !== null);
}

/** Whether the route has the current orders and the chosen optimization. */
export function isRouteCurrent(plan: Plan): boolean {
  const { route, optimize } = plan;
  const ids = orderIds(plan);
  return (
    route !== null &&
    route.optimize === optimize &&
    route.order_ids.length === ids.length &&
    route.order_ids.every((id, index) => id === ids[index])
  );
}

/** Adds an order to the plan, or replaces it. */
export function withOrder(plan: Plan, order: PlannedOrder): Plan {
  const isThere = plan.orders.some(({ number }) => number === order.number);
  const orders = isThere
    ? plan.orders.map((each) => (each.number === order.number ? order : each))
    : [...plan.orders, order];
  return { ...plan, count: Math.max(plan.count, order.number), orders };
}

export function withoutOrder(plan: Plan, number: number): Plan {
  return { ...plan, orders: plan.orders.filter((order) => order.number !== number) };
}

/** Removes the route, and with it the quotes and the choice. */
export function withoutRoute(plan: Plan): Plan {
  return { ...plan, route: null, round: null, quote_id: null, dispatch: null };
}

/** Removes the quotes, so that they are requested again. */
export function withoutQuotes(plan: Plan): Plan {
  return { ...plan, round: null, quote_id: null, dispatch: null };
}

/** The idempotency key of a write. */
export function keyOf({ key }: Pick<Plan, 'key'>, part: string): string {
  return `${key}/${part}`;
}

/** Whether there is anything to resume. */
export function isResumable({ orders, draft }: Plan): boolean {
  return orders.length > 0 || (draft !== null && Object.keys(draft.answers).length > 0);
}

/** Which records the service has already, and how to continue if the plan is saved. */
export function statusText(
  { plan, isSaved, hasUndone }: Pick<Run, 'plan' | 'isSaved' | 'hasUndone'>,
  doing = '',
): Text {
  if (!isResumable(plan))
    return hasUndone ? 'What was created was undone.' : 'Nothing was changed at the service.';
  if (!isSaved)
    return `${stateText({ ...plan, draft: null }, doing)} It was not saved: it cannot be resumed.`;
  return phrase`${stateText(plan, doing)} Continue with: \`${invocation('new', [], { resume: true })}\`.`;
}

/** Which records the service has already, and whether input was saved. */
export function stateText(plan: Plan, doing = ''): string {
  const { orders, route, dispatch, draft } = plan;
  const pending = [
    ...(orders.some(({ id }) => id === null) ? (['order'] as const) : []),
    ...(route !== null && route.id === null ? (['route'] as const) : []),
    ...(dispatch === null ? [] : (['dispatch'] as const)),
  ];
  // A request that may not be repeated is forgotten.
  const records = { order_ids: orderIds(plan), route_id: route?.id ?? null, isRepeatable: true };
  const text = unfinishedText({ ...records, pending }, doing);
  return draft === null ? text : `${text} Your input was saved.`;
}

export type Field = keyof typeof orderFlags;

const pickup = ['pickupAddress', 'pickupName', 'pickupPhoneNumber'] as const satisfies readonly Field[];
const dropoff = ['dropoffAddress', 'dropoffName', 'dropoffPhoneNumber'] as const satisfies readonly Field[];

/** The fields asked for every order, in this order; a saved place replaces the fields of the pickup. */
export function questionsFor(answers: Answers): readonly Field[] {
  return ['store', ...(answers.store === undefined ? pickup : []), ...dropoff, 'item'];
}

const phones: ReadonlySet<string> = new Set<Field>(['pickupPhoneNumber', 'dropoffPhoneNumber']);
const needed: ReadonlySet<string> = new Set<Field>([...pickup, ...dropoff, 'item']);

export function isNeeded(field: Field): boolean {
  return needed.has(field);
}

/** All fields of an order, without those that come from a saved place. */
export function allFields(answers: Answers): Field[] {
  return fieldsOf().filter((field) => answers.store === undefined || !/^pickup(?!At)/.test(field));
}

function fieldsOf(): Field[] {
  return Object.keys(orderFlags).filter(isField);
}

function isField(name: string): name is Field {
  return Object.hasOwn(orderFlags, name);
}

/** `Pickup unit` for `pickupUnit`. */
export function labelOf(field: Field): string {
  const words = dashed(field).replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The question of a field, worded as in `orders create`. */
export function questionOf(field: Field): string {
  const { question, summary } = orderFlags[field];
  if (phones.has(field)) return `${labelOf(field).replace(' number', '')} (312-555-0142, or +13125550142)`;
  return question ?? `${labelOf(field)} (${summary}; ${flagLabel(field)})`;
}

/** The error for an answer, worded as in `orders create`; null if it is valid. */
export function faultOf(field: Field, text: string): string | null {
  return faultIn(text, orderFlags[field]);
}

/** The stored form of an answer: phone numbers are stored in international form. */
export function storedForm(field: Field, text: string): string {
  return (phones.has(field) ? phoneIn(text) : null) ?? text;
}

/** The field at a path of the service, as `orders[0].dropoff_phone_number`; null if absent. */
export function fieldAt(path: string): Field | null {
  const name = /^(?:orders\[\d+\]\.)?(\w+)/.exec(path)?.[1] ?? '';
  const field = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const own: Record<string, Field> = { items: 'item', pickupStoreId: 'store' };
  return own[field] ?? (isField(field) ? field : null);
}

/** Returns the answers with those to one field replaced, or removed if there are none. */
export function answered(answers: Answers, field: Field, texts: readonly string[]): Answers {
  const { [field]: _, ...others } = answers;
  const given = texts.filter((text) => !isBlank(text));
  const rest = field === 'store' && given.length > 0 ? withoutPlace(others) : others;
  return given.length === 0 ? rest : { ...rest, [field]: given };
}

/** A saved place and the fields of a pickup exclude each other. */
function withoutPlace(answers: Answers): Answers {
  return Object.fromEntries(Object.entries(answers).filter(([name]) => !/^pickup(?!At)/.test(name)));
}

/** The index of the first unanswered question; their number if all are answered. */
export function firstOpen(answers: Answers): number {
  const questions = questionsFor(answers);
  const at = questions.findIndex((field) => needed.has(field) && !isThere(answers, field));
  // The first question, about a saved place, is answered once anything else is.
  return at === -1 ? questions.length : Object.keys(answers).length === 0 ? 0 : at;
}

/** Whether every question is answered. */
export function isAnswered(answers: Answers): boolean {
  return firstOpen(answers) === questionsFor(answers).length;
}

function isThere(answers: Answers, field: Field): boolean {
  return answers[field] !== undefined || (field === 'item' && answers.itemsDescription !== undefined);
}

type Values = Parameters<typeof orderFieldsOf>[0];

/** The request that the answers make; relative times become absolute. */
export async function requestOf(context: Context, answers: Answers): Promise<Partial<OrderRequest>> {
  const raw = { flags: new Map(Object.entries(answers)), words: [] };
  const values = readFlags(orderFlags, raw);
  if (!areValues(values)) throw new TypeError('the fields of the order are not whole');
  const fields = orderFieldsOf(values, givenOf({}, raw));
  const [order] = await scheduledOrders(context, [{ ...fields }], values);
  return order ?? fields;
}

function areValues(values: object): values is Values {
  return Object.keys(orderFlags).every((name) => Object.hasOwn(values, name));
}

/** The command that creates the order. */
export function creationLine(answers: Answers, words: readonly string[] = []): Invocation {
  const flags = fieldsOf().flatMap((field) =>
    (answers[field] ?? []).flatMap((text) => flagWords(field, text)),
  );
  return invocation('orders create', [...flags, ...words]);
}

function flagWords(field: Field, text: string): string[] {
  if (orderFlags[field].kind !== 'switch') return [flagLabel(field), text];
  return [text === 'true' ? flagLabel(field) : `--no-${dashed(field)}`];
}

const cents: readonly string[] = ['order_value', 'tip'];

/** The answers that would create an existing order. */
export function answersOf(request: Partial<OrderRequest>): Answers {
  const entries = Object.entries(request).flatMap(([name, value]): [string, string[]][] => {
    const field = fieldAt(name);
    if (field === null || value === undefined || field === 'item') return [];
    return [[field, [cents.includes(name) ? moneyText(Number(value)) : String(value)]]];
  });
  const items = (request.items ?? []).map(itemText);
  return { ...Object.fromEntries(entries), ...(items.length === 0 ? {} : { item: items }) };
}

function itemText({ name, quantity, size }: NonNullable<OrderRequest['items']>[number]): string {
  return [name, quantity, ...(size === undefined ? [] : [size])].join(':');
}

/** The phone numbers of an order. */
export function numbersIn(answers: Answers): string[] {
  return [...phones].flatMap((name) => answers[name] ?? []);
}

/** The answers as displayed: some phone numbers are masked. */
function shownAnswers(
  answers: Answers,
  numbers: readonly string[],
  shown: (number: string) => string,
): Answers {
  const entries = Object.entries(answers).map(([name, texts]) => {
    const seen = (text: string) => (phones.has(name) && numbers.includes(text) ? shown(text) : text);
    return [name, texts.map(seen)] as const;
  });
  return Object.fromEntries(entries);
}

/** The lines that summarize an order; `store` is the saved place in words. */
export function summaryOf(answers: Answers, store: string): string[] {
  const first = (...fields: Field[]) => fields.flatMap((field) => answers[field]?.[0] ?? []).join(', ');
  const others = allFields(answers).filter((field) => !needed.has(field) && field !== 'store');
  const from = answers.store === undefined ? first('pickupName', 'pickupAddress', 'pickupPhoneNumber') : '';
  return [
    `From: ${from === '' ? store : from}`,
    `To: ${first('dropoffName', 'dropoffAddress', 'dropoffPhoneNumber')}`,
    ...(answers.item ?? []).map((text) => `Item: ${itemLine(text)}`),
    ...others.flatMap((field) => (answers[field] ?? []).map((text) => `${labelOf(field)}: ${text}`)),
  ];
}

/** `2 x Soup (small)` */
export function itemLine(text: string): string {
  const { name, quantity, size } = readItem(text);
  return `${quantity} x ${name}${size === undefined ? '' : ` (${size})`}`;
}

/** The state and tools of the steps. */
export interface Run {
  context: Context;
  prompts: Prompts;
  /** The current plan. */
  readonly plan: Plan;
  /** Whether the plan is saved, so that it can be resumed. */
  isSaved: boolean;
  /** Whether this run has deleted a route or canceled orders again. */
  hasUndone: boolean;
  /** Replaces the plan and writes it to its file before anything else happens. */
  keep(plan: Plan): void;
  say(line: Text): void;
  /** Prints a line of a script, which is never wrapped. */
  quote(line: string): void;
  /** Prints a command that is equivalent to what was just printed. */
  tell(line: Invocation): void;
}

/** Where a step leads: to another step, or to the end, which gives the result of the command. */
export type Turn = Move | { end: () => Result | Promise<Result> };

/** The choice to quit. */
export const leave = { name: 'Leave it for later', value: 'leave' } as const;

/** The user quits; what was created stays and can be resumed. */
export class Quit extends Error {
  override name = 'Quit';
}

/** The answers as displayed outside of their questions. */
export function shownIn({ plan, context: { output } }: Run, answers: Answers): Answers {
  return shownAnswers(answers, plan.numbers, phoneShown(output));
}

/** The answer to a question; null if the user went back. */
export async function unlessBack<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof WentBack) return null;
    throw error;
  }
}

/** The faults of a refusal that the user can correct; null for any other error. */
export function faultsIn(error: unknown): readonly Fault[] | null {
  if (!(error instanceof ApiError)) return null;
  // An order refers to no other record than its saved place.
  if (error.code === 'record_not_found') return [{ path: 'pickup_store_id', message: error.message }];
  if (!correctable.some((code) => code === error.code)) return null;
  return error.details.length > 0 ? error.details : [{ path: '', message: error.message }];
}
