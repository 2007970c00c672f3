import { Interrupted } from '../../../../src/cli/kit/errors/failure.ts';
import { type Choice, type Prompts, WentBack } from '../../../../src/cli/kit/host/host.ts';

/** A person's reaction to a prompt: types, selects a choice by prefix, checks several, goes back, leaves. */
export type Reply = string | readonly string[] | typeof back | typeof ctrlC | Doing;
type Doing = (asked: Asked) => Reply | Promise<Reply>;
export const back = Symbol('back');
export const ctrlC = Symbol('ctrl+c');

export interface Asked {
  message: string;
  /** The names of the choices at the time of the answer. */
  choices: string[];
  initial: unknown;
  /** The error for an invalid text; null if it is valid. */
  check?: ((text: string) => string | null) | undefined;
}

/** A person who answers: each prompt must start like the next pair. */
export interface Person extends Prompts {
  asked: Asked[];
  /** The number of remaining replies. */
  left(): number;
}

/** A person with replies in pairs: the start of the prompt, and the reaction. */
export function person(replies: readonly (readonly [string, Reply])[]): Person {
  const queue = [...replies];
  const asked: Asked[] = [];
  const reply = async (question: Asked): Promise<string | readonly string[]> => {
    asked.push(question);
    const [expected, given] = queue.shift() ?? ['no question', ctrlC];
    if (!question.message.startsWith(expected))
      throw new Error(`asked "${question.message}" where "${expected}" was to come`);
    return done(given, question);
  };
  const named = <T>(choices: readonly Choice<T>[], name: string): T => {
    const found = choices.find((choice) => choice.name.startsWith(name));
    if (found === undefined)
      throw new Error(`"${name}" is none of ${choices.map((each) => each.name).join(' | ')}`);
    if (found.disabled !== undefined) throw new Error(`"${name}" is ${found.disabled}`);
    return found.value;
  };
  return {
    asked,
    left: () => queue.length,
    text: async (message, { initial, check } = {}) => {
      const typed = String(await reply({ message, choices: [], initial, check })) || (initial ?? '');
      const fault = check?.(typed) ?? null;
      if (fault !== null) throw new Error(`"${typed}" at "${message}": ${fault}`);
      return typed;
    },
    secret: async (message) => String(await reply({ message, choices: [], initial: undefined })),
    confirm: async (message) => (await reply({ message, choices: [], initial: undefined })) === 'yes',
    select: async (message, choices, { initial, current } = {}) => {
      const names = () => (current?.() ?? choices).map(({ name }) => name);
      const first = choices.find(({ value }) => value === initial)?.name;
      const name = await reply({ message, choices: names(), initial: first });
      return named(current?.() ?? choices, String(name));
    },
    search: async (message, choices) =>
      String(await reply({ message, choices: choices.map(({ name }) => name), initial: undefined })),
    checkbox: async (message, choices) => {
      const names = await reply({ message, choices: choices.map(({ name }) => name), initial: undefined });
      return [names].flat().map((name) => named(choices, name));
    },
  };
}

async function done(given: Reply, question: Asked): Promise<string | readonly string[]> {
  if (given === back) throw new WentBack();
  if (given === ctrlC) throw new Interrupted();
  if (typeof given === 'function') return done(await given(question), question);
  if (typeof given === 'symbol') throw new Error('no reply');
  return given;
}

/** The replies that create the order of the other tests. */
export const typedOrder = [
  ['What would you like to send?', 'Create a new order'],
  ['Pickup address', '43 E Ohio St, Chicago, IL 60611'],
  ['Pickup name', 'Grill'],
  ['Pickup phone', '+13125550101'],
  ['Dropoff address', '233 S Wacker Dr, Chicago, IL 60606'],
  ['Dropoff name', 'Joe Diner'],
  ['Dropoff phone', '+13125550142'],
  ['What is it?', 'Brisket Classic:4:small'],
  ['Another item?', ''],
  ['Create this order?', 'Create order'],
] as const satisfies readonly (readonly [string, Reply])[];
