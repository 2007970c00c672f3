/** Hints on why a state does not change while a command waits for it, with the command that helps. */
import {
  type Invocation,
  joinedTexts,
  type NextStep,
  type StepObject,
  type Text,
} from '../result/message.ts';

/** Why nothing changes, and the command that helps. */
export interface Hint {
  code: string;
  message: Text;
  command: Invocation | null;
  /** The purpose of the command. */
  when: string;
  /** Whether nothing changes until the command runs. Programs that wait get the hint at once, too. */
  isUrgent?: boolean;
}

/** Shows hints, or keeps them for the final error. */
export interface Hints {
  say(hint: Hint): Promise<void>;
  /** The kept hints, for the error after a timeout. */
  details(): { hint?: Text; next: NextStep[] };
  /** Whether anything was said. */
  hasSaid(): boolean;
}

/** The part of the context that hints need. */
interface HintContext {
  output: { json: boolean; quiet: boolean };
  plainText(text: Text): string;
  stepObject(step: NextStep): StepObject;
}

/**
 * People see a hint immediately. Programs that wait for an end get it with the final error, as does --quiet. Programs that
 * watch without an end get it at once as an object, and all programs do if it is urgent.
 */
export function createHints(
  { output, plainText, stepObject }: HintContext,
  { note, isEndless }: { note(line: Text): void | Promise<void>; isEndless: boolean },
): Hints {
  const kept: (Hint & { isShown: boolean })[] = [];
  let hasSaid = false;
  const objectOf = ({ code, message, command, when }: Hint) => {
    const next = command === null ? [] : [stepObject({ ...command, when })];
    return { type: 'hint', code, message: plainText(message), next };
  };
  return {
    hasSaid: () => hasSaid,
    say: async (hint) => {
      hasSaid = true;
      if (!output.json && !output.quiet) await note(hint.message);
      else {
        const isShown = output.json && !output.quiet && (isEndless || hint.isUrgent === true);
        if (isShown) await note(JSON.stringify(objectOf(hint)));
        if (!isEndless || !output.json) kept.push({ ...hint, isShown });
      }
    },
    details: () => {
      const messages = kept.flatMap(({ message, isShown }) => (isShown ? [] : [message]));
      return {
        ...(messages.length === 0 ? {} : { hint: joinedTexts(messages, ' ') }),
        next: kept.flatMap(({ command, when }) => (command === null ? [] : [{ ...command, when }])),
      };
    },
  };
}
