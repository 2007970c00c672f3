/** Writes an error to stderr, as text or as JSON. */
import type { Feature } from '../../client/service-features.ts';
import { type CommandSpec, nameEnvVar } from '../kit/args/command-input.ts';
import { addContextFlags, type ContextFlags } from '../kit/args/context-flags.ts';
import type { LineState } from '../kit/args/line-parser.ts';
import { type FlagTexts, wantsJson } from '../kit/args/parsed-line.ts';
import { Interrupted, stackTexts } from '../kit/errors/failure.ts';
import type { ColourLevel, Environment, Host } from '../kit/host/host.ts';
import { colourLevel, colourModes, colourVariable, type Palette, paletteFor } from '../kit/output/colour.ts';
import type { OutputSettings } from '../kit/output/output-settings.ts';
import { escapedJson, oneLine, redacted, sanitized } from '../kit/output/safe-text.ts';
import { wrapProse } from '../kit/output/terminal-lines.ts';
import { messageFormatFor } from '../kit/output/text-formatting.ts';
import { type TimeStyle, timeModes } from '../kit/output/times.ts';
import {
  formatText,
  type Invocation,
  invocationsIn,
  isSameInvocation,
  type MessageFormat,
  plainMessageFormat,
  plainText,
  shellLine,
} from '../kit/result/message.ts';
import { isJson } from '../kit/result/result.ts';
import { type Profile, readProfiles } from '../settings/profiles.ts';
import { profilesFile } from '../settings/settings.ts';
import { interruptionText } from './error-codes.ts';
import {
  createErrorReport,
  type ErrorReport,
  errorObject,
  max_choices,
  withPositionals,
} from './error-report.ts';

/** Writes an error to stderr, for people or as JSON, and returns the exit code. */
export async function reportError(error: unknown, progress: LineProgress, host: Host): Promise<number> {
  const { command, words, line } = progress;
  const { WAYBILL_API_KEY: key = '', WAYBILL_WEBHOOK_SECRET: secret = '' } = host.environment;
  const secrets = [key, secret];
  const plain = withStatus(createErrorReport(error, command, progress.session?.context.has), host);
  const complete = command === null ? plain : withPositionals(plain, command, words);
  if (host.signal.aborted) return complete.exit;
  const format = errorFormatOf(progress, host);
  if (error instanceof Interrupted) return reportInterruption(format, host);
  const stack = isDebug(line.texts, host) ? stackTexts()(error) : null;
  const { json, times, now } = format;
  const withContextFlags = <T extends Invocation>(invocation: T) =>
    addContextFlags(invocation, progress.context);
  const messageFormat = messageFormatFor({
    output: { json, times },
    stderr: host.stderr,
    now,
    withContextFlags,
  });
  const text = json
    ? reportAsJson(complete, stack, messageFormat)
    : await reportAsText(complete, stack, { colour: format.colour, messageFormat }, host);
  await writeToStderr(redacted(text, secrets), host);
  return complete.exit;
}

/** Ctrl+C at a prompt, or the end of stdin: prints the state at the service. */
async function reportInterruption({ json }: ErrorFormat, host: Host): Promise<number> {
  const text = interruptionText('SIGINT', host.interruption.status(), json);
  await writeToStderr(json ? text : wrapProse(text, host.stderr.columns), host);
  return 130;
}

/** A closed pipe does not change the exit code. */
function writeToStderr(text: string, { stderr }: Pick<Host, 'stderr'>): Promise<void> {
  return stderr.write(text).catch(() => {});
}

/** If only the response was lost, the effect of the command remains. */
function withStatus(error: ErrorReport, host: Host): ErrorReport {
  return error.code === 'output_failed'
    ? { ...error, hint: host.interruption.status()?.text ?? null }
    : error;
}

function reportAsJson(error: ErrorReport, stack: string | null, messageFormat: MessageFormat): string {
  const object = errorObject(error, messageFormat);
  const data = stack === null ? object : { error: { ...object.error, stack } };
  return `${escapedJson(JSON.stringify(data))}\n`;
}

async function reportAsText(
  error: ErrorReport,
  stack: string | null,
  { colour, messageFormat }: Pick<ErrorFormat, 'colour'> & { messageFormat: MessageFormat },
  { stderr }: Host,
): Promise<string> {
  const complaint = wrapProse(errorText(error, await paletteFor(colour), messageFormat), stderr.columns);
  return complaint + (stack === null ? '' : `${sanitized(stack)}\n`);
}

function isDebug(texts: FlagTexts, host: Host): boolean {
  return texts.has('debug') || ['1', 'true', 'yes', 'on'].includes(host.environment.WAYBILL_DEBUG ?? '');
}

/** Formats an error for people: what happened, why, and what to do next. Declining at a prompt is not an error. */
export function errorText(error: ErrorReport, palette: Palette, messageFormat = plainMessageFormat): string {
  const lines = [
    `${error.exit === 3 ? '' : `${palette.bad('Error:')} `}${messageOf(error, messageFormat)}`,
    ...error.details.map(({ flag, path, message }) => `  ${oneLine(`${flag ?? path}: ${message}`)}`),
    ...(error.why === null || error.details.length > 0 ? [] : whyLines(formatText(error.why, messageFormat))),
    ...(error.hint === null ? [] : [oneLine(formatText(error.hint, messageFormat))]),
    ...choicesLine(error),
    ...nextLines(error, messageFormat),
    ...(error.retry_after === null ? [] : [`Try again in ${error.retry_after} s.`]),
    ...(error.request_id === null ? [] : [palette.dim(`Request ${oneLine(error.request_id)}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Replaces the service's message about the contract by one about the input, for people. A message of the service is put
 * on one line.
 */
function messageOf({ code, message, details, status }: ErrorReport, messageFormat: MessageFormat): string {
  if (code === 'invalid_request' && details.length > 0) return 'The service rejected the request:';
  const text = formatText(message, messageFormat);
  return status === null ? sanitized(text) : oneLine(text);
}

/** One reason is a sentence; several are on a line each. */
function whyLines(why: string): string[] {
  const lines = why.split('\n').map(oneLine);
  return lines.length === 1 ? lines : lines.map((line) => `  ${line}`);
}

/** Left out if the message, the hint or the reasons contain the choices, if one was suggested, or if they are many. */
function choicesLine({ code, choices, hint, message, why }: ErrorReport): string[] {
  if (choices.length === 0 || (hint !== null && choices.length > max_choices)) return [];
  if (choices.length > (code === 'unknown_flag' ? 16 : 40)) return [];
  const said = `${plainText(message)}\n${plainText(hint ?? '')}`;
  if ([', ', ' or '].some((joint) => said.includes(choices.join(joint)))) return [];
  const reasons = plainText(why ?? '').split('\n');
  const isExplained = (choice: string) => reasons.some((line) => line.startsWith(`${choice} `));
  return choices.every(isExplained) ? [] : [`Choose from: ${oneLine(choices.join(', '))}`];
}

/** The commands that the hint does not already contain. */
function nextLines({ next, hint }: ErrorReport, { withContextFlags }: MessageFormat): string[] {
  const named = invocationsIn(hint ?? '');
  const others = next.filter((step) => !named.some((line) => isSameInvocation(line, step)));
  return others.map((step) => {
    const when = step.when === '' ? '' : `   (${oneLine(step.when)})`;
    return `  ${oneLine(shellLine(withContextFlags(step)))}${when}`;
  });
}

/** The part of a line that was parsed before an error: it decides how the error is reported. */
export interface LineProgress {
  line: LineState;
  command: CommandSpec | null;
  words: readonly string[];
  /** The flags of the line that suggested commands need too. */
  context: ContextFlags;
  /** Set once the line is parsed. */
  session: {
    output: OutputSettings;
    serviceNow(): number;
    context: { has(feature: Feature): boolean };
  } | null;
}

/** How an error is formatted. */
interface ErrorFormat {
  json: boolean;
  times: TimeStyle;
  colour: ColourLevel;
  /** The service's time in milliseconds since the epoch. */
  now: number;
}

/**
 * Takes the format from the line, then the environment, then the profile. If the line could not be parsed, the flags
 * before the error count.
 */
function errorFormatOf({ session, line: { texts }, command }: LineProgress, host: Host): ErrorFormat {
  if (session !== null) {
    const { json, times, stderrColour } = session.output;
    return { json, times, colour: stderrColour, now: session.serviceNow() };
  }
  const { environment, stderr } = host;
  const given: ReadFlag = (name) => texts.get(name)?.at(-1) ?? (environment[nameEnvVar(name)] || undefined);
  const profile = profileOf(given, host);
  const preferredColour = colourVariable(environment) !== null ? undefined : profile?.preferences?.color;
  const isPreset = command?.effect !== 'none' && !choosesFormat(texts, environment);
  const mode = oneOf(colourModes, given('color') ?? preferredColour) ?? 'auto';
  return {
    json: isPreset ? isJson(profile?.output ?? 'table') : wantsJson(texts, environment),
    times: oneOf(timeModes, given('time') ?? profile?.preferences?.time) ?? null,
    colour: colourLevel({ mode, environment, isTerminal: stderr.isTerminal }),
    now: host.now(),
  };
}

/** The value of a flag from the command line, or else from the environment, by the flag's name in the code. */
type ReadFlag = (name: string) => string | undefined;

/** Null without a profile and if the settings cannot be read, which another error reports. */
function profileOf(given: ReadFlag, host: Host): Profile | null {
  try {
    const { current, profiles } = readProfiles(profilesFile(host));
    const profile = profiles[given('profile') ?? current] ?? null;
    const baseUrl = given('baseUrl');
    return baseUrl === undefined || baseUrl === profile?.base_url ? profile : null;
  } catch {
    return null;
  }
}

function choosesFormat(texts: FlagTexts, environment: Environment): boolean {
  const flags = ['json', 'output', 'jq'];
  return flags.some((name) => texts.has(name) || Boolean(environment[nameEnvVar(name)]));
}

function oneOf<T extends string>(modes: readonly T[], text: string | undefined): T | undefined {
  return modes.find((mode) => mode === text);
}
