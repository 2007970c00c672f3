import { answered, faultOf, itemLine, questionOf } from './fields.ts';
import type { Answers } from './plan.ts';
import { type Run, unlessBack } from './run.ts';

/** The answer that removes an item. */
const remove = '-';

/** Lets the user change, remove and add items one by one until they are done; each change is saved. */
export async function editItems(
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
