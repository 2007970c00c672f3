import type { Host } from '../host.ts';
import { inPlace } from '../line/place.ts';
import { complaintText } from '../output/complaint.ts';
import { paletteFor } from '../output/palette.ts';
import { escapedJson, sanitized } from '../output/sanitize.ts';
import { timed } from '../output/sentence.ts';
import { prose } from '../output/width.ts';
import type { Known } from '../program.ts';
import { redacted } from '../settings/redaction.ts';
import { errorObject, type Told, told, withPlaces } from './errors.ts';
import { Interrupted } from './failure.ts';
import { interruptionText } from './interruption.ts';
import { type Manner, mannerOf } from './manner.ts';

/** Tells an error on stderr, to people or as JSON, and gives the exit code. */
export async function complain(error: unknown, known: Known, host: Host): Promise<number> {
  const { argv, command, words } = known;
  const { WAYBILL_API_KEY: key = '', WAYBILL_WEBHOOK_SECRET: secret = '' } = host.environment;
  const secrets = [key, secret];
  const plain = withStanding(told(error, command), host);
  const complete = placed(command === null ? plain : withPlaces(plain, command, words), known);
  if (host.signal.aborted) return complete.exit;
  const manner = mannerOf(known, host);
  if (error instanceof Interrupted) return interrupted(manner, host);
  const stack = isDebug(argv, host) ? stackOf(error) : null;
  const text = manner.json
    ? jsonComplaint(complete, stack)
    : await personComplaint(complete, stack, manner, host);
  await tell(redacted(text, secrets), host);
  return complete.exit;
}

/** Ctrl+C at a prompt, or the end of stdin: what is true at the service. */
async function interrupted({ json }: Manner, host: Host): Promise<number> {
  const text = interruptionText('SIGINT', host.interruption.standing(), json);
  await tell(json ? text : prose(text, host.stderr.columns), host);
  return 130;
}

/** That nobody hears it changes nothing of how it ended. */
function tell(text: string, { stderr }: Pick<Host, 'stderr'>): Promise<void> {
  return stderr.write(text).catch(() => {});
}

/** Where only the answer was lost, what the command did stays done. */
function withStanding(error: Told, host: Host): Told {
  return error.code === 'output_failed' ? { ...error, hint: host.interruption.standing() } : error;
}

/** The error with commands that work in the same place as the line. */
function placed(error: Told, { place }: Known): Told {
  const next = error.next.map((step) => ({ ...step, command: inPlace(step.command, place) }));
  return { ...error, hint: error.hint === null ? null : inPlace(error.hint, place), next };
}

function jsonComplaint(error: Told, stack: string | null): string {
  const object = errorObject(error);
  const data = stack === null ? object : { error: { ...object.error, stack } };
  return `${escapedJson(JSON.stringify(data))}\n`;
}

async function personComplaint(
  error: Told,
  stack: string | null,
  { times, colour, now }: Manner,
  { stderr }: Host,
): Promise<string> {
  const text = complaintText(error, await paletteFor(colour));
  const complaint = prose(timed(text, { output: { json: false, times }, stderr, now }), stderr.columns);
  return complaint + (stack === null ? '' : `${sanitized(stack)}\n`);
}

function isDebug(argv: readonly string[], host: Host): boolean {
  return (
    argv.includes('--debug') || ['1', 'true', 'yes', 'on'].includes(host.environment.WAYBILL_DEBUG ?? '')
  );
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\nCaused by: ${stackOf(error.cause)}`;
  return (error.stack ?? error.message) + cause;
}
