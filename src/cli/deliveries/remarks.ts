import type { Delivery } from '../../contract/deliveries.ts';
import type { Context } from '../context.ts';
import type { FailureDetails } from '../failures/failure.ts';
import { commandLine } from '../line/command-line.ts';

/** What somebody who waits should know: why nothing moves, and the command that helps. */
export interface Remark {
  code: 'clock_stands_still' | 'not_initiated' | 'unreachable';
  message: string;
  command: string | null;
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
  { output }: Context,
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
      next: kept.flatMap(({ command, code }) => (command === null ? [] : [{ command, when: reasons[code] }])),
    }),
  };
}

const reasons: Readonly<Record<Remark['code'], string>> = {
  clock_stands_still: 'move its clock',
  not_initiated: 'have a courier come for it',
  unreachable: 'find out what is wrong',
};

function objectOf({ code, message, command }: Remark) {
  return { type: 'hint', code, message, next: command === null ? [] : [{ command }] };
}

/** Of a delivery that is only kept: by waiting nothing happens to it. */
export function notInitiated(context: Context, { id }: Delivery): Remark {
  const command = context.inPlace(commandLine(['deliveries', 'initiate', id]));
  const message = `${id} is only kept, and no courier is asked before: ${command}`;
  return { code: 'not_initiated', message, command };
}

/** On a clock that stands still nothing happens by waiting. */
export function clockStandsStill(context: Context): Remark {
  const command = context.inPlace('waybill sandbox advance --next');
  const message = `The clock of this sandbox stands still. In another terminal: ${command}`;
  return { code: 'clock_stands_still', message, command };
}

/** The service is gone for now; it may come back. */
export function outOfReach(error: Error): Remark {
  const message = `The service cannot be reached at the moment: ${error.message} Looking again until it can.`;
  return { code: 'unreachable', message, command: null };
}
