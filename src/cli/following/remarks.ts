import type { Context } from '../context.ts';
import type { FailureDetails } from '../failures/failure.ts';
import { clockOf } from './clock.ts';

/** What somebody who waits should know: why nothing moves, and the command that helps. */
export interface Remark {
  code: string;
  message: string;
  command: string | null;
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
  { output }: Pick<Context, 'output'>,
  { note, isEndless }: { note(line: string): void | Promise<void>; isEndless: boolean },
): Remarks {
  const kept: Remark[] = [];
  return {
    say: async (remark) => {
      if (!output.json) await note(remark.message);
      else if (isEndless) await note(JSON.stringify(objectOf(remark)));
      else kept.push(remark);
    },
    details: () => ({
      ...(kept.length === 0 ? {} : { hint: kept.map(({ message }) => message).join(' ') }),
      next: kept.flatMap(({ command, when }) => (command === null ? [] : [{ command, when }])),
    }),
  };
}

function objectOf({ code, message, command }: Remark) {
  return { type: 'hint', code, message, next: command === null ? [] : [{ command }] };
}

/** On a clock that stands still nothing happens by waiting. */
export function clockStandsStill(context: Pick<Context, 'inPlace'>): Remark {
  const command = context.inPlace('waybill sandbox advance --next');
  const message = `The clock of this sandbox stands still. In another terminal: ${command}`;
  return { code: 'clock_stands_still', message, command, when: 'move its clock' };
}

/** The same where the clock does so by now; null where it goes, and where nobody may look at it. */
export async function stillClock(context: Context): Promise<Remark | null> {
  return (await clockOf(context))?.mode === 'manual' ? clockStandsStill(context) : null;
}

/** The service is gone for now; it may come back. */
export function outOfReach(error: Error): Remark {
  const message = `The service cannot be reached at the moment: ${error.message} Looking again until it can.`;
  return { code: 'unreachable', message, command: null, when: 'find out what is wrong' };
}
