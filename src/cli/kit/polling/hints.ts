import type { Invocation, NextStep, StepObject } from '../result/invocation.ts';
import { joinedTexts, type Text } from '../result/message.ts';

/** Why nothing changes, and the command that helps. */
export interface Hint {
  code: string;
  message: Text;
  command: Invocation | null;
  /** What the command is for. */
  when: string;
}

/** Shows hints, or keeps them for the error at the end. */
export interface Hints {
  say(hint: Hint): Promise<void>;
  /** For the error when time ran out: what was kept. */
  details(): { hint?: Text; next: NextStep[] };
}

/** What hints need of the command line. */
interface HintContext {
  output: { json: boolean };
  plainText(text: Text): string;
  stepObject(step: NextStep): StepObject;
}

/**
 * People read a hint at once. Programs that wait for an end get it with the error there, as stderr has no other
 * object then; those that watch without an end get it as an object.
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
