import type { Context } from '../context.ts';
import { told } from '../failures/errors.ts';
import { Failure } from '../failures/failure.ts';
import { redacted } from '../settings/redaction.ts';
import { cureOf } from './cures.ts';

/** What one check of `doctor` found. */
export interface Finding {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  found: string;
  /** What to do, in words; empty where there is nothing to do, or the command says it. */
  remedy: string;
  /** The command that does it. */
  command: string | null;
  /** The error code of a command that meets this fault; null where it is none. */
  code: string | null;
  /** What such a command ends with, else 0. */
  exit_code: number;
}

/** What can be done about it. */
export interface Cure {
  remedy?: string;
  command?: string;
}

export function ok(check: string, found: string, cure: Cure = {}): Finding {
  return { check, status: 'ok', found, remedy: '', command: null, code: null, exit_code: 0, ...cure };
}

export function warn(check: string, found: string, cure: Cure): Finding {
  return { ...ok(check, found, cure), status: 'warn' };
}

/** An error as a finding. */
function fail(check: string, error: unknown, context: Context): Finding {
  const fault = told(error);
  const { message, why, code, exit } = fault;
  // A service may say in its refusal what it was sent.
  const found = redacted(why === null ? message : `${message} ${why}`);
  const { remedy = '', command = null } = cureOf(fault, context);
  return { check, status: 'fail', found, remedy: redacted(remedy), command, code, exit_code: exit };
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
