import { type Prompts, type QuestionOptions, WentBack } from '../../kit/host/prompts.ts';

/**
 * What is on the screen above the open question. Each answer is displayed once, with its current value: going back
 * removes what followed the question that is asked again.
 */
export interface Transcript {
  /** The prompts, which add each question and its answer to the transcript. */
  prompts: Prompts;
  /** Adds an entry with the lines printed since the last one. */
  add(kind: EntryKind): void;
  /** The id of the question about a field of the order being entered. */
  fieldId(name: string): string;
  /** Starts another order, whose fields have their own IDs. */
  startOrder(): void;
  /** The number of entries so far. */
  mark(): number;
  /** Of the entries after a mark keeps only the answers, each in the place of the first answer to its field. */
  compactFrom(mark: number): void;
}

/**
 * - question: a question with its answer
 * - done: what was done at the service, which is never removed
 * - heading: the name of a step, displayed once even if the user comes back to the step
 * - passing: explains the question that follows, and is removed with it
 */
export type EntryKind = 'question' | 'done' | 'heading' | 'passing';

interface Entry {
  kind: EntryKind;
  id: string;
  lines: readonly string[];
}

/** The transcript of prompts that can redraw lines. With any others it only passes the questions on. */
export function createTranscript(prompts: Prompts): Transcript {
  const { printed } = prompts;
  let entries: Entry[] = [];
  let known = printed?.get().length ?? 0;
  let order = 0;
  /** The number of entries when the user went back; null after an answer. */
  let wentBackAt: number | null = null;
  const add = (kind: EntryKind, id = '') => {
    const lines = printed?.get().slice(known) ?? [];
    known += lines.length;
    if (lines.length > 0) entries.push({ kind, id, lines });
  };
  const redraw = (next: readonly Entry[]) => {
    entries = next.filter((entry, at) => entry.kind !== 'heading' || !isRepeated(entry, next.slice(0, at)));
    printed?.replace(entries.flatMap(({ lines }) => lines));
    known = printed?.get().length ?? 0;
  };
  const ask = async <T>(id: string, question: () => Promise<T>): Promise<T> => {
    add('done');
    const before = wentBackAt === null ? null : entriesBefore(entries, id, wentBackAt);
    if (before !== null) redraw(before);
    wentBackAt = null;
    try {
      const answer = await question();
      add('question', id);
      return answer;
    } catch (error) {
      if (error instanceof WentBack) wentBackAt = entries.length;
      throw error;
    }
  };
  return {
    prompts: recorded(prompts, ask),
    add,
    fieldId: (name) => `${field_prefix}${order}/${name}`,
    startOrder: () => {
      order += 1;
    },
    mark: () => entries.length,
    compactFrom: (mark) => {
      add('done');
      redraw(compacted(entries.slice(0, mark), entries.slice(mark)));
      wentBackAt = null;
    },
  };
}

type Ask = <T>(id: string, question: () => Promise<T>) => Promise<T>;

function recorded(prompts: Prompts, ask: Ask): Prompts {
  const idOf = (message: string, options: QuestionOptions = {}) => options.id ?? message;
  return {
    ...prompts,
    text: (message, options) => ask(idOf(message, options), () => prompts.text(message, options)),
    select: (message, choices, options) =>
      ask(idOf(message, options), () => prompts.select(message, choices, options)),
    checkbox: (message, choices, options) =>
      ask(idOf(message, options), () => prompts.checkbox(message, choices, options)),
  };
}

/** Whether the last heading before is the same. */
function isRepeated({ lines }: Entry, before: readonly Entry[]): boolean {
  return before.findLast(({ kind }) => kind === 'heading')?.lines.join() === lines.join();
}

/** The entries to keep when a question is asked again; null if it is not in the transcript. */
function entriesBefore(entries: readonly Entry[], id: string, wentBackAt: number): Entry[] | null {
  const old = entries.slice(0, wentBackAt);
  const at = old.findLastIndex((entry) => entry.kind === 'question' && entry.id === id);
  if (at === -1) return null;
  const first = old.slice(0, at).findLastIndex(({ kind }) => kind !== 'passing') + 1;
  const done = old.slice(first).filter(({ kind }) => kind === 'done');
  return [...old.slice(0, first), ...done, ...entries.slice(wentBackAt)];
}

const field_prefix = 'field ';

/** The field that a question is about: several questions about one differ behind the mark, `field 1/item#2`. */
function fieldOf({ kind, id }: Entry): string | null {
  return kind === 'question' && id.startsWith(field_prefix) ? id.replace(/#.*/, '') : null;
}

function compacted(head: readonly Entry[], tail: readonly Entry[]): Entry[] {
  const kept = [...head];
  const changed = new Set(tail.flatMap((entry) => fieldOf(entry) ?? []));
  for (const field of changed) {
    const last = tail.slice(tail.findLastIndex(({ id }) => id === field));
    const answers = last.filter((entry) => fieldOf(entry) === field);
    const at = kept.findIndex((entry) => fieldOf(entry) === field);
    const others = kept.filter((entry) => fieldOf(entry) !== field);
    const place = at === -1 ? others.length : at;
    kept.splice(0, kept.length, ...others.slice(0, place), ...answers, ...others.slice(place));
  }
  return [...kept, ...tail.filter(({ kind }) => kind === 'done')];
}
