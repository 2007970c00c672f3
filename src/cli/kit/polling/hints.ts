import type { Context } from '../../context.ts';
import type { FailureDetails } from '../../failures/failure.ts';
import { clockOf } from '../../waiting/poll-clocks.ts';
import type { Invocation } from '../output/invocation.ts';
import { invocation } from '../output/invocation.ts';
import type { Text } from '../output/message.ts';
import { joinedTexts, phrase } from '../output/message.ts';

/** What somebody who waits should know: why nothing moves, and the command that helps. */
export interface Remark {
  code: string;
  message: Text;
  command: Invocation | null;
  /** What the command is for. */
  when: string;
}

/** Says remarks, or keeps them for the error at the end. */
export interface Remarks {
  say(remark: Remark): Promise<void>;
  /** For the error when time ran out: what was kept. */
  details(): Pick<FailureDetails, 'hint'> & Required<Pick<FailureDetails, 'next'>>;
}

/**
 * People read a remark at once. Programs that wait for an end get it with the error there, as stderr has no other
 * object then; those that follow without an end get it as an object.
 */
export function remarksFor(
  { output, plainText, stepObject }: Pick<Context, 'output' | 'plainText' | 'stepObject'>,
  { note, isEndless }: { note(line: Text): void | Promise<void>; isEndless: boolean },
): Remarks {
  const kept: Remark[] = [];
  const objectOf = ({ code, message, command, when }: Remark) => {
    const next = command === null ? [] : [stepObject({ ...command, when })];
    return { type: 'hint', code, message: plainText(message), next };
  };
  return {
    say: async (remark) => {
      if (!output.json) await note(remark.message);
      else if (isEndless) await note(JSON.stringify(objectOf(remark)));
      else kept.push(remark);
    },
    details: () => ({
      ...(kept.length === 0
        ? {}
        : {
            hint: joinedTexts(
              kept.map(({ message }) => message),
              ' ',
            ),
          }),
      next: kept.flatMap(({ command, when }) => (command === null ? [] : [{ ...command, when }])),
    }),
  };
}

/** On a clock that stands still nothing happens by waiting. */
export function clockStandsStill(): Remark {
  const command = invocation('sandbox advance', [], { next: true });
  const message = phrase`The clock of this sandbox stands still. In another terminal: ${command}`;
  return { code: 'clock_stands_still', message, command, when: 'move its clock' };
}

/** The same where the clock does so by now; null where it goes, and where nobody may look at it. */
export async function stillClock(context: Context): Promise<Remark | null> {
  return (await clockOf(context))?.mode === 'manual' ? clockStandsStill() : null;
}

/** The service is gone for now; it may come back. */
export function outOfReach(error: Error): Remark {
  const message = `The service cannot be reached at the moment: ${error.message} Looking again until it can.`;
  return { code: 'unreachable', message, command: null, when: 'find out what is wrong' };
}
