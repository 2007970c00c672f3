import type { Invocation, NextStep, StepObject } from '../result/invocation.ts';
import { joinedTexts, type Text } from '../result/message.ts';

/** Why nothing changes, and the command that helps. */
export interface Hint {
  code: string;
  message: Text;
  command: Invocation | null;
  /** The purpose of the command. */
  when: string;
}

/** Shows hints, or keeps them for the final error. */
export interface Hints {
  say(hint: Hint): Promise<void>;
  /** The kept hints, for the error after a timeout. */
  details(): { hint?: Text; next: NextStep[] };
}

/** The part of the context that hints need. */
interface HintContext {
  output: { json: boolean };
  plainText(text: Text): string;
  stepObject(step: NextStep): StepObject;
}

/**
 * People see a hint immediately. Programs that wait for an end get it with the final error, as stderr has only that
 * object; those that watch without an end get it as an object.
 */
export function createHints(
  { output, plainText, stepObject }: HintContext,
  { note, isEndless }: { note(line: Text): void | Promise<void>; isEndless: boolean },
): Hints {
  const kept: Hint[] = [];
  const objectOf = ({ code, message, command, when }: Hint) => {
    const next = command === null ? [] : [stepObject({ ...command, when })];
    return { type: 'hint', code, message: plainText(message), next };
  };
  return {
    say: async (hint) => {
      if (!output.json) await note(hint.message);
      else if (isEndless) await note(JSON.stringify(objectOf(hint)));
      else kept.push(hint);
    },
    details: () => {
      const messages = kept.map(({ message }) => message);
      return {
        ...(messages.length === 0 ? {} : { hint: joinedTexts(messages, ' ') }),
        next: kept.flatMap(({ command, when }) => (command === null ? [] : [{ ...command, when }])),
      };
    },
  };
}
