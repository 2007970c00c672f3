import { ifSupported } from '../../../client/errors.ts';
import type { Store } from '../../../contract/places.ts';
import { isBlank } from '../../kit/args/input.ts';
import { type Choice, WentBack } from '../../kit/host/host.ts';
import { orderFlags } from '../../nouns/order-flags.ts';
import { checkPlaces } from '../../nouns/order-sending.ts';
import {
  allFields,
  answered,
  type Field,
  faultOf,
  firstOpen,
  isNeeded,
  itemLine,
  labelOf,
  questionOf,
  questionsFor,
  shownIn,
  storedForm,
} from './answers.ts';
import type { Answers } from './plan.ts';
import { draftOf, type Run, saveDraft, unlessBack } from './run.ts';

/**
 * Asks for the required fields of the draft, starting at the first unanswered one, else at the last one. Each answer is
 * saved. False if the user went back from the first question.
 */
export async function interview(run: Run): Promise<boolean> {
  const given = draftOf(run).answers;
  let at = Math.min(firstOpen(given), questionsFor(given).length - 1);
  let isBack = false;
  for (;;) {
    const { answers } = draftOf(run);
    const field = questionsFor(answers)[at];
    if (field === undefined) return true;
    // Without saved places the question for one is not asked: going back skips it.
    const isPassed: boolean = isBack && field === 'store' && (await savedPlaces(run)).length === 0;
    const next: Answers | null = isPassed ? null : await unlessBack(() => askField(run, field, answers));
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
  if (field === 'store') return answered(answers, field, await askStore(run, answers));
  if (field === 'item') return answered(answers, field, await askItems(run, answers));
  const { kind } = orderFlags[field];
  if (kind === 'choice' || kind === 'switch')
    return answered(answers, field, await askChoice(run, field, answers));
  const initial = answers[field]?.[0];
  const isFree = !isNeeded(field);
  const hint = isFree && initial !== undefined ? forNone : undefined;
  const text = await run.prompts.text(questionOf(field), {
    initial,
    hint,
    back: true,
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
export async function storeText(run: Run, { store }: Answers): Promise<string> {
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

/** Asks for items until an empty answer, and saves each. Going back asks for the previous item again. */
async function askItems(run: Run, answers: Answers): Promise<string[]> {
  const proposed = [...(answers.item ?? draftOf(run).items)];
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
export async function editFields(run: Run): Promise<void> {
  for (;;) {
    const { answers } = draftOf(run);
    const shown = shownIn(run, answers);
    const fields = allFields(answers).map((field) => ({
      name: [labelOf(field), ...(shown[field] === undefined ? [] : [shown[field].join('; ')])].join(': '),
      value: field,
    }));
    const field = await unlessBack(() =>
      run.prompts.select('Which field?', [{ name: 'Done', value: null }, ...fields], { back: true }),
    );
    if (field === null) return;
    await askAgain(run, field);
  }
}

/** Asks for a field that may have an answer; several items are changed one by one. False if the user went back. */
export async function askAgain(run: Run, field: Field): Promise<boolean> {
  const { answers } = draftOf(run);
  if (field === 'item' && (answers.item ?? []).length > 0) {
    await editItems(run);
    return true;
  }
  const next = await unlessBack(() => askField(run, field, answers));
  if (next !== null) saveDraft(run, { answers: next });
  return next !== null;
}

/** Lets the user change, remove and add items one by one until they are done; each change is saved. */
async function editItems(run: Run): Promise<void> {
  let isChanged = false;
  for (;;) {
    const { answers } = draftOf(run);
    const action = await unlessBack(() => chooseAction(run, answers.item ?? [], isChanged));
    if (action === null || action === 'done') return;
    const items = await unlessBack(() => changedItems(run, answers, action));
    if (items === null) continue;
    saveDraft(run, { answers: answered(answers, 'item', items) });
    isChanged = true;
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
    initial: items[at],
    back: true,
    hint: isNeeded ? undefined : `(${none} to remove it)`,
    check: (typed) => (typed.trim() === none ? neededFault(isNeeded) : faultOf('item', typed)),
  });
  return text.trim() === none ? items.toSpliced(at, 1) : items.with(at, text);
}

function neededFault(isNeeded: boolean): string | null {
  return isNeeded ? 'It is the only item: add another one before you remove it.' : null;
}
