/** A finding of `doctor`, and how an error becomes one with its fix. */
import { BadBaseUrl, isThisMachine, proxyFor } from '../../../client/addresses.ts';
import { Unreachable } from '../../../client/errors.ts';
import { createErrorReport, type ErrorReport } from '../../errors/error-report.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { redacted } from '../../kit/output/safe-text.ts';
import {
  type Invocation,
  invocation,
  invocationsIn,
  phrase,
  plainText,
  type Text,
} from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { readProfiles } from '../../settings/profiles.ts';
import { profilesFile } from '../../settings/settings.ts';

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

export function ok(check: string, found: string, fix: Fix = {}): Finding {
  return { check, status: 'ok', found, remedy: '', command: null, code: null, exit_code: 0, ...fix };
}

export function warn(check: string, found: string, fix: Fix): Finding {
  return { ...ok(check, found, fix), status: 'warn' };
}

function fail(check: string, error: unknown, context: Context): Finding {
  const fault = createErrorReport(error);
  const { message, why, code, exit } = fault;
  // A service may repeat the request's secrets in its refusal.
  const found = redacted(plainText(why === null ? message : phrase`${message} ${why}`));
  const { remedy = '', command = null } = fixOf(fault, context, error);
  return { check, status: 'fail', found, remedy, command, code, exit_code: exit };
}

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

interface Fix {
  remedy?: Text;
  command?: Text;
}

/** Returns the fix for a fault: the error's own hint, unless this context has a better one. */
function fixOf(fault: ErrorReport, context: Context, error: unknown): Fix {
  const fix = fixesByCode[fault.code]?.(context, fault, error) ?? ownFixOf(fault);
  const isFix = fix.remedy !== undefined || fix.command !== undefined;
  return isFix
    ? fix
    : {
        remedy: 'Inspect the requests and responses.',
        command: phrase`${invocation('doctor', [], { debug: true })}`,
      };
}

const fixesByCode: Readonly<
  Record<string, (context: Context, fault: ErrorReport, error: unknown) => Fix | null>
> = {
  profile_not_found: fixProfile,
  usage: (context, _, error) => (error instanceof BadBaseUrl ? fixAddress(context) : null),
  unauthorized: fixKey,
  unreachable: fixUnreachable,
  unexpected_answer: fixAddress,
  // The URL may point to another part of the same server.
  not_found: fixAddress,
  rate_limited: (_, { retry_after }) =>
    retry_after === null ? null : { remedy: `Try again in ${retry_after} s.` },
};

/** The error's own hint without the advice to run `doctor`, which is running. */
function ownFixOf({ hint, next }: ErrorReport): Fix {
  const isAsked = ({ command }: Invocation) => command === 'doctor';
  const [step] = next.filter((each) => !isAsked(each));
  const remedy = hint !== null && invocationsIn(hint).some(isAsked) ? 'Try again in a moment.' : hint;
  return {
    ...(remedy === null ? {} : { remedy }),
    ...(step === undefined ? {} : { command: phrase`${step}` }),
  };
}

function fixProfile({ globals, isTyped }: Context): Fix {
  const command = phrase`${invocation('profiles list')}`;
  if (globals.profile === undefined) return { command: phrase`${invocation('profiles use', ['sandbox'])}` };
  return isTyped('profile')
    ? { remedy: 'Name an existing profile with --profile, or none.', command }
    : { remedy: 'Set WAYBILL_PROFILE to an existing profile, or unset it.', command };
}

/** Changes the URL where it was set: on the command line, in the environment, or in the profile by logging in again. */
function fixAddress({ globals, isTyped, host }: Context): Fix {
  if (globals.baseUrl === undefined) {
    const profile = globals.profile ?? readProfiles(profilesFile(host)).current;
    const command = phrase`${invocation('login', [], { profile, baseUrl: 'URL' })}`;
    return { remedy: 'Give the profile the address of its service.', command };
  }
  return isTyped('baseUrl')
    ? { remedy: 'Correct --base-url.' }
    : { remedy: 'Correct WAYBILL_BASE_URL, or unset it.' };
}

/** A key from a flag or the environment overrides the one that `login` stores. */
export function fixKey(context: Context): Fix {
  const { keyOrigin, keyPlace, profile } = context.settings;
  if (keyOrigin === 'flag') return { remedy: 'Name a file with a key of this service: --api-key-file.' };
  if (keyOrigin !== 'environment') {
    const file = keyPlace === 'key_file' ? profile?.api_key_file : undefined;
    const command = phrase`${invocation('login')}`;
    return file === undefined
      ? { command }
      : { remedy: `Put a key of this service into ${file}, or:`, command };
  }
  const name = context.host.environment.WAYBILL_API_KEY ? 'WAYBILL_API_KEY' : 'WAYBILL_API_KEY_FILE';
  return { remedy: `Give ${name} a key of this service, or unset it.` };
}

function fixUnreachable(context: Context, _: ErrorReport, error: unknown): Fix | null {
  const { target } = context.settings;
  const url = target.kind === 'http' ? URL.parse(target.baseUrl) : null;
  if (url === null) return null;
  if (proxyFor(url, context.host.environment) !== null)
    return { remedy: `Check the proxy, or leave the service out: NO_PROXY=${url.hostname}` };
  const { remedy = '', ...fix } = fixAddress(context);
  const isHere = isThisMachine(url.hostname) && url.protocol === 'http:';
  if (!isHere || !(error instanceof Unreachable && error.code === 'ECONNREFUSED'))
    return { ...fix, remedy: phrase`Check the network. Or the address is wrong: ${remedy}` };
  const port = url.port || '80';
  return {
    remedy: phrase`Start the service. Or the address is wrong: ${remedy}`,
    command: phrase`${invocation('serve', [], { port })}`,
  };
}

export const readOnly = { reads: true, opensUnchanged: true } as const;
