import { reportOf } from '../../errors/error-report.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { redacted } from '../../kit/output/redaction.ts';
import { alignedRows, type Cell } from '../../kit/output/rows.ts';
import { oneLine } from '../../kit/output/sanitize.ts';
import { phrase, plainText, type Text } from '../../kit/result/message.ts';
import type { Show } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { type Fix, fixOf } from './remediation.ts';

/** The result of one check of `doctor`. */
export interface Finding {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  found: string;
  /** The fix as text; empty if nothing needs fixing or `command` fixes it. */
  remedy: Text;
  /** The command that fixes it. */
  command: Text | null;
  /** The error code that commands fail with because of this fault; null without one. */
  code: string | null;
  /** The exit code that commands fail with because of this fault, else 0. */
  exit_code: number;
}

/** A finding whose commands carry the context flags of this run. */
export type ShownFinding = Omit<Finding, 'remedy' | 'command'> & { remedy: string; command: string | null };

export function ok(check: string, found: string, fix: Fix = {}): Finding {
  return { check, status: 'ok', found, remedy: '', command: null, code: null, exit_code: 0, ...fix };
}

export function warn(check: string, found: string, fix: Fix): Finding {
  return { ...ok(check, found, fix), status: 'warn' };
}

/** Makes a finding of an error. */
function fail(check: string, error: unknown, context: Context): Finding {
  const fault = reportOf(error);
  const { message, why, code, exit } = fault;
  // A service may repeat the request's secrets in its refusal.
  const found = redacted(plainText(why === null ? message : phrase`${message} ${why}`));
  const { remedy = '', command = null } = fixOf(fault, context, error);
  return { check, status: 'fail', found, remedy, command, code, exit_code: exit };
}

/** The timeout of each check. */
const limit_ms = 10_000;

/** Runs a check; an error or a timeout becomes a finding. */
export async function runCheck(
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

/** The widths of the longest values, so that findings align. */
const [statusWidth, checkWidth] = ['fail'.length, 'settings folder'.length];

/** Formats a finding for people: the result, and below it the fix. */
export function findingText({ check, status, found, remedy, command }: ShownFinding, show: Show): string {
  const sides = (left: string, right: string) => [
    { text: left, paint: show.status, width: statusWidth },
    { text: right, width: checkWidth },
  ];
  const paint = status === 'ok' ? show.dim : show.strong;
  const cures: Cell[] = [{ text: oneLine(remedy) }, { text: oneLine(command ?? ''), isWhole: true }];
  const rows = [
    [...sides(status, check), { text: oneLine(found) }],
    ...cures.filter(({ text }) => text !== '').map((fix) => [...sides('', ''), { ...fix, paint }]),
  ];
  return alignedRows(rows, { room: show.room, indent: 0 }).join('\n');
}
