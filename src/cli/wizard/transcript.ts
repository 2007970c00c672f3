import type { Prompts, Returning } from '../context.ts';
import { WentBack } from '../kit/prompts/went-back.ts';

/**
 * What stands on the screen. What was done at the service stays there; a heading is said once; all else is for the
 * question that follows it, and goes with that.
 */
export type Kind = 'question' | 'done' | 'heading' | 'passing';

interface Entry {
  kind: Kind;
  about: string;
  lines: readonly string[];
}

/** What was asked and said so far, so that the screen shows each answer once, as it is by now. */
export interface Page {
  /** The same prompts: to go back takes away what stood after the question that is asked again. */
  prompts: Prompts;
  /** What was written since the last time is of this kind. */
  wrote(kind: Kind): void;
  /** What a question about a field of the order that is being typed is about. */
  field(name: string): string;
  /** Another order is begun: from now on its fields are others. */
  begin(): void;
  /** Where the page ends. */
  end(): number;
  /** Of what came after the place only the answers stay, each where the field was answered first. */
  settle(place: number): void;
}

/** The page of prompts that can redraw; any others show one thing after the other. */
export function pageOf(prompts: Prompts): Page {
  let entries: Entry[] = [];
  let known = prompts.board?.lines().length ?? 0;
  let order = 0;
  /** Where the page ended when the person went back; null where the next question is another. */
  let returned: number | null = null;
  const wrote = (kind: Kind, about = '') => {
    const lines = prompts.board?.lines().slice(known) ?? [];
    known += lines.length;
    if (lines.length > 0) entries.push({ kind, about, lines });
  };
  const stand = (next: readonly Entry[]) => {
    entries = next.filter((entry, at) => entry.kind !== 'heading' || !isSaid(entry, next.slice(0, at)));
    prompts.board?.redraw(entries.flatMap(({ lines }) => lines));
    known = prompts.board?.lines().length ?? 0;
  };
  const asked = async <T>(about: string, ask: () => Promise<T>): Promise<T> => {
    wrote('done');
    const before = returned === null ? null : pageBefore(entries, about, returned);
    if (before !== null) stand(before);
    returned = null;
    try {
      const answer = await ask();
      wrote('question', about);
      return answer;
    } catch (error) {
      if (error instanceof WentBack) returned = entries.length;
      throw error;
    }
  };
  return {
    prompts: following(prompts, asked),
    wrote,
    field: (name) => `${fields}${order}/${name}`,
    begin: () => {
      order += 1;
    },
    end: () => entries.length,
    settle: (place) => {
      wrote('done');
      stand(settled(entries.slice(0, place), entries.slice(place)));
      returned = null;
    },
  };
}

type Asked = <T>(about: string, ask: () => Promise<T>) => Promise<T>;

function following(prompts: Prompts, asked: Asked): Prompts {
  const about = (message: string, options: Returning = {}) => options.about ?? message;
  return {
    ...prompts,
    text: (message, options) => asked(about(message, options), () => prompts.text(message, options)),
    select: (message, choices, options) =>
      asked(about(message, options), () => prompts.select(message, choices, options)),
    checkbox: (message, choices, options) =>
      asked(about(message, options), () => prompts.checkbox(message, choices, options)),
  };
}

/** What the last heading before says as well. */
function isSaid({ lines }: Entry, before: readonly Entry[]): boolean {
  return before.findLast(({ kind }) => kind === 'heading')?.lines.join() === lines.join();
}

/** The page as it is when the question is asked again; null where it does not stand there. */
function pageBefore(entries: readonly Entry[], about: string, returned: number): Entry[] | null {
  const old = entries.slice(0, returned);
  const at = old.findLastIndex((entry) => entry.kind === 'question' && entry.about === about);
  if (at === -1) return null;
  const first = old.slice(0, at).findLastIndex(({ kind }) => kind !== 'passing') + 1;
  const done = old.slice(first).filter(({ kind }) => kind === 'done');
  return [...old.slice(0, first), ...done, ...entries.slice(returned)];
}

const fields = 'field ';

/** Several questions about a field differ behind the mark: `field 1/item#2`. */
function fieldOf({ kind, about }: Entry): string | null {
  return kind === 'question' && about.startsWith(fields) ? about.replace(/#.*/, '') : null;
}

function settled(head: readonly Entry[], tail: readonly Entry[]): Entry[] {
  const page = [...head];
  const changed = new Set(tail.flatMap((entry) => fieldOf(entry) ?? []));
  for (const field of changed) {
    const last = tail.slice(tail.findLastIndex(({ about }) => about === field));
    const answers = last.filter((entry) => fieldOf(entry) === field);
    const at = page.findIndex((entry) => fieldOf(entry) === field);
    const rest = page.filter((entry) => fieldOf(entry) !== field);
    const place = at === -1 ? rest.length : at;
    page.splice(0, page.length, ...rest.slice(0, place), ...answers, ...rest.slice(place));
  }
  return [...page, ...tail.filter(({ kind }) => kind === 'done')];
}
