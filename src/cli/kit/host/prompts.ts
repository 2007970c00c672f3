/** The user went back from a question to the one before it. Not a failure. */
export class WentBack extends Error {
  override name = 'WentBack';

  constructor() {
    super('the user went back to the previous question');
  }
}

export interface Choice<T> {
  name: string;
  value: T;
  description?: string;
  /** Why the choice is not available. */
  disabled?: string | undefined;
}

export interface QuestionOptions {
  /** Whether the user can go back: then the prompt rejects with WentBack. */
  back?: true;
}

export interface SelectOptions<T> extends QuestionOptions {
  /** The value of the choice that is active first. */
  initial?: T | undefined;
  /** The current choices, in the same number and order; polled while the question is open. */
  current?: () => readonly Choice<T>[];
}

export interface TextOptions extends QuestionOptions {
  /** Shown after the message. */
  hint?: string | undefined;
  /** The answer if nothing is typed. */
  initial?: string | undefined;
  /** Returns the fault of an answer, or null. */
  check?: (text: string) => string | null;
  /** Returns the form of an answer that is displayed once it is given. */
  format?: (text: string) => string;
}

/** Questions to the user, on stderr. Each rejects with Interrupted on Ctrl+C, on Ctrl+D and at the end of stdin. */
export interface Prompts {
  text(message: string, options?: TextOptions): Promise<string>;
  secret(message: string): Promise<string>;
  select<T>(message: string, choices: readonly Choice<T>[], options?: SelectOptions<T>): Promise<T>;
  /** Returns the value of a choice found by typing, or the typed text if no choice matches. */
  search(
    message: string,
    choices: readonly Choice<string>[],
    options?: Pick<TextOptions, 'check'>,
  ): Promise<string>;
  checkbox<T>(message: string, choices: readonly Choice<T>[], options?: QuestionOptions): Promise<T[]>;
  confirm(message: string): Promise<boolean>;
}
