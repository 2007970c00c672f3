import type { Choice } from '../context.ts';
import { isBlank } from '../line/input.ts';
import { orderFlags } from '../orders/order-flags.ts';
import {
  allFields,
  answered,
  type Field,
  faultOf,
  firstOpen,
  isNeeded,
  labelOf,
  questionOf,
  questionsFor,
} from './fields.ts';
import type { Answers } from './plan.ts';
import { type Run, unlessBack } from './run.ts';

/** Typed instead of a text: the field has none. */
const none = '-';

/** Keeps what is typed, after each answer. */
type Keep = (answers: Answers) => void;

/**
 * Asks for what every order needs, from the first that is not answered, or from the last one. False where the
 * person went back from the first question.
 */
export async function interview(run: Run, given: Answers, keep: Keep): Promise<boolean> {
  let answers = given;
  let at = Math.min(firstOpen(answers), questionsFor(answers).length - 1);
  for (;;) {
    const field = questionsFor(answers)[at];
    if (field === undefined) return true;
    const next = await unlessBack(() => askField(run, field, answers));
    if (next === null && at === 0) return false;
    at += next === null ? -1 : 1;
    answers = next ?? answers;
    keep(answers);
  }
}

/** Asks for one field; what was answered before is proposed. Rejects with WentBack. */
export async function askField(run: Run, field: Field, answers: Answers): Promise<Answers> {
  if (field === 'store') return answered(answers, field, await askStore(run, answers));
  if (field === 'item') return answered(answers, field, await askItems(run, answers));
  const { kind } = orderFlags[field];
  if (kind === 'choice' || kind === 'switch')
    return answered(answers, field, await askChoice(run, field, answers));
  const initial = answers[field]?.[0];
  const isFree = !isNeeded(field);
  const hint = isFree && initial !== undefined ? ` (${none} for none)` : '';
  const text = await run.prompts.text(`${questionOf(field)}${hint}`, {
    initial,
    back: true,
    check: (typed) => (isFree && isNothing(typed) ? null : faultOf(field, typed)),
  });
  return answered(answers, field, isFree && isNothing(text) ? [] : [text]);
}

function isNothing(text: string): boolean {
  return isBlank(text) || text.trim() === none;
}

/** As many as are shown to choose from. */
const most_stores = 100;

/** A saved place, or none: then its fields are typed. Where there is none, nobody is asked. */
async function askStore({ context, prompts }: Run, answers: Answers): Promise<string[]> {
  const client = await context.client();
  const { data } = (await client.stores.list({ query: { limit: most_stores } })).data;
  if (data.length === 0) return [];
  const stores = data.map(({ id, name, address }) => ({ name: `${name}, ${address}`, value: [id] }));
  const typed: Choice<string[]> = { name: 'Another place: type it', value: [] };
  const initial = stores.find(({ value }) => value[0] === answers.store?.[0])?.value;
  const proposed = initial ?? (answers.pickupAddress === undefined ? undefined : typed.value);
  return prompts.select('Where is it picked up? (a saved place, --store)', [...stores, typed], {
    initial: proposed,
    back: true,
  });
}

/** One after the other, until nothing is typed. */
async function askItems({ prompts }: Run, answers: Answers): Promise<string[]> {
  const before = answers.item ?? [];
  const items: string[] = [];
  for (let at = 0; ; at += 1) {
    const isFirst = items.length === 0 && answers.itemsDescription === undefined;
    const question = isFirst ? questionOf('item') : 'And what else? (empty for nothing)';
    const initial = before[at];
    const text = await prompts.text(initial === undefined ? question : `${question} (${none} for none)`, {
      initial,
      back: true,
      check: (typed) =>
        isNothing(typed) && !(isFirst && at >= before.length - 1) ? null : faultOf('item', typed),
    });
    if (!isNothing(text)) items.push(text);
    else if (at >= before.length) return items;
  }
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
  const choices = [{ name: 'not said', value: '' }, ...words];
  return [await prompts.select(questionOf(field), choices, { initial, back: true })];
}

/** Lets the person change or add any field, one after the other, until there is nothing more. */
export async function changeFields(run: Run, given: Answers, keep: Keep): Promise<Answers> {
  let answers = given;
  for (;;) {
    const fields = allFields(answers).map((field) => ({
      name: [labelOf(field), ...(answers[field] === undefined ? [] : [answers[field].join('; ')])].join(': '),
      value: field,
    }));
    const field = await unlessBack(() =>
      run.prompts.select('Which field?', [{ name: 'Done', value: null }, ...fields], { back: true }),
    );
    if (field === null) return answers;
    answers = (await unlessBack(() => askField(run, field, answers))) ?? answers;
    keep(answers);
  }
}
