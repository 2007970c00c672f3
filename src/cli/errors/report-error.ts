import type { Texts } from '../kit/args/parsed-line.ts';
import { withContextFlags } from '../kit/args/with-context-flags.ts';
import { Interrupted } from '../kit/errors/failure.ts';
import { stackTexts } from '../kit/errors/stack.ts';
import type { Host } from '../kit/host/host.ts';
import { paletteFor } from '../kit/output/palette.ts';
import { redacted } from '../kit/output/redaction.ts';
import { escapedJson, sanitized } from '../kit/output/sanitize.ts';
import { wordingFor } from '../kit/output/sentence.ts';
import { prose } from '../kit/output/width.ts';
import type { Invocation } from '../kit/result/invocation.ts';
import type { Wording } from '../kit/result/message.ts';
import { type ErrorFormat, errorFormatOf, type Known } from './error-format.ts';
import { type ErrorReport, errorObject, reportOf, withPositionals } from './error-report.ts';
import { errorText } from './error-text.ts';
import { interruptionText } from './interruption.ts';

/** Writes an error to stderr, for people or as JSON, and returns the exit code. */
export async function reportError(error: unknown, known: Known, host: Host): Promise<number> {
  const { command, words, line } = known;
  const { WAYBILL_API_KEY: key = '', WAYBILL_WEBHOOK_SECRET: secret = '' } = host.environment;
  const secrets = [key, secret];
  const plain = withStatus(reportOf(error, command, known.session?.context.has), host);
  const complete = command === null ? plain : withPositionals(plain, command, words);
  if (host.signal.aborted) return complete.exit;
  const format = errorFormatOf(known, host);
  if (error instanceof Interrupted) return reportInterruption(format, host);
  const stack = isDebug(line.texts, host) ? stackTexts()(error) : null;
  const { json, times, now } = format;
  const place = <T extends Invocation>(line: T) => withContextFlags(line, known.context);
  const wording = wordingFor({ output: { json, times }, stderr: host.stderr, now, place });
  const text = json
    ? jsonComplaint(complete, stack, wording)
    : await personComplaint(complete, stack, { colour: format.colour, wording }, host);
  await tell(redacted(text, secrets), host);
  return complete.exit;
}

/** Ctrl+C at a prompt, or the end of stdin: prints the state at the service. */
async function reportInterruption({ json }: ErrorFormat, host: Host): Promise<number> {
  const text = interruptionText('SIGINT', host.interruption.status(), json);
  await tell(json ? text : prose(text, host.stderr.columns), host);
  return 130;
}

/** A closed pipe does not change the exit code. */
function tell(text: string, { stderr }: Pick<Host, 'stderr'>): Promise<void> {
  return stderr.write(text).catch(() => {});
}

/** If only the response was lost, the effect of the command remains. */
function withStatus(error: ErrorReport, host: Host): ErrorReport {
  return error.code === 'output_failed'
    ? { ...error, hint: host.interruption.status()?.text ?? null }
    : error;
}

function jsonComplaint(error: ErrorReport, stack: string | null, wording: Wording): string {
  const object = errorObject(error, wording);
  const data = stack === null ? object : { error: { ...object.error, stack } };
  return `${escapedJson(JSON.stringify(data))}\n`;
}

async function personComplaint(
  error: ErrorReport,
  stack: string | null,
  { colour, wording }: Pick<ErrorFormat, 'colour'> & { wording: Wording },
  { stderr }: Host,
): Promise<string> {
  const complaint = prose(errorText(error, await paletteFor(colour), wording), stderr.columns);
  return complaint + (stack === null ? '' : `${sanitized(stack)}\n`);
}

function isDebug(texts: Texts, host: Host): boolean {
  return texts.has('debug') || ['1', 'true', 'yes', 'on'].includes(host.environment.WAYBILL_DEBUG ?? '');
}
