import { reportOf } from '../../errors/error-report.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { redacted } from '../../kit/output/redaction.ts';
import { alignedRows, type Cell } from '../../kit/output/rows.ts';
import { oneLine } from '../../kit/output/sanitize.ts';
import { phrase, plainText, type Text } from '../../kit/result/message.ts';
import type { Show } from '../../kit/result/result.ts';
import type { Context } from '../../session/context.ts';
import { type Cure, cureOf } from './remediation.ts';

/** What one check of `doctor` found. */
export interface Finding {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  found: string;
  /** What to do, in words; empty where there is nothing to do, or the command says it. */
  remedy: Text;
  /** The command that does it. */
  command: Text | null;
  /** The error code of a command that meets this fault; null where it is none. */
  code: string | null;
  /** What such a command ends with, else 0. */
  exit_code: number;
}

/** A finding as it is shown: with commands that work in the same account as the line. */
export type ShownFinding = Omit<Finding, 'remedy' | 'command'> & { remedy: string; command: string | null };

export function ok(check: string, found: string, cure: Cure = {}): Finding {
  return { check, status: 'ok', found, remedy: '', command: null, code: null, exit_code: 0, ...cure };
}

export function warn(check: string, found: string, cure: Cure): Finding {
  return { ...ok(check, found, cure), status: 'warn' };
}

/** An error as a finding. */
function fail(check: string, error: unknown, context: Context): Finding {
  const fault = reportOf(error);
  const { message, why, code, exit } = fault;
  // A service may say in its refusal what it was sent.
  const found = redacted(plainText(why === null ? message : phrase`${message} ${why}`));
  const { remedy = '', command = null } = cureOf(fault, context, error);
  return { check, status: 'fail', found, remedy, command, code, exit_code: exit };
}

/** No check is waited for longer than this. */
const limit_ms = 10_000;

/** What a look found; what it throws is a fault, and so is that it takes too long. */
export async function checked(
  check: string,
  context: Context,
  look: () => Promise<Finding> | Finding,
): Promise<Finding> {
  const late = Promise.withResolvers<never>();
  const cancel = context.host.timer(limit_ms, () => late.reject(noAnswer()));
  try {
    return await Promise.race([Promise.resolve().then(look), late.promise]);
  } catch (error) {
    return fail(check, error, context);
  } finally {
    cancel();
  }
}

function noAnswer(): Failure {
  return new Failure(7, 'unreachable', `There was no answer within ${limit_ms / 1000} s.`);
}

/** As wide as the longest of them, so that findings stand below each other. */
const [statusWidth, checkWidth] = ['fail'.length, 'settings folder'.length];

/** A finding as lines for people: what was found, and below it what to do. */
export function findingText({ check, status, found, remedy, command }: ShownFinding, show: Show): string {
  const sides = (left: string, right: string) => [
    { text: left, paint: show.status, width: statusWidth },
    { text: right, width: checkWidth },
  ];
  const paint = status === 'ok' ? show.dim : show.strong;
  const cures: Cell[] = [{ text: oneLine(remedy) }, { text: oneLine(command ?? ''), isWhole: true }];
  const rows = [
    [...sides(status, check), { text: oneLine(found) }],
    ...cures.filter(({ text }) => text !== '').map((cure) => [...sides('', ''), { ...cure, paint }]),
  ];
  return alignedRows(rows, { room: show.room, indent: 0 }).join('\n');
}
