import type { Host } from '../host.ts';
import { colourModes } from '../line/globals.ts';
import { wantsJson } from '../line/parse.ts';
import { inPlace } from '../line/place.ts';
import { colourLevel } from '../output/colour.ts';
import { complaintText } from '../output/complaint.ts';
import { paletteFor } from '../output/palette.ts';
import { escapedJson, sanitized } from '../output/sanitize.ts';
import { prose } from '../output/width.ts';
import type { Known } from '../program.ts';
import { redacted } from '../settings/redaction.ts';
import { errorObject, type Told, told, withPlaces } from './errors.ts';
import { Interrupted } from './failure.ts';
import { interruptionText } from './interruption.ts';

/** Tells an error on stderr, to people or as JSON, and gives the exit code. */
export async function complain(error: unknown, known: Known, host: Host): Promise<number> {
  const { argv, command, words } = known;
  const { WAYBILL_API_KEY: key = '', WAYBILL_WEBHOOK_SECRET: secret = '' } = host.environment;
  const secrets = [key, secret];
  const plain = withStanding(told(error, command), host);
  const complete = placed(command === null ? plain : withPlaces(plain, command, words), known);
  if (host.signal.aborted) return complete.exit;
  if (error instanceof Interrupted) return interrupted(known, host);
  const stack = isDebug(argv, host) ? stackOf(error) : null;
  const text = wantsJson(argv, host.environment)
    ? jsonComplaint(complete, stack)
    : await personComplaint(complete, stack, argv, host);
  await host.stderr.write(redacted(text, secrets));
  return complete.exit;
}

/** Ctrl+C at a prompt, or the end of stdin: what is true at the service. */
async function interrupted({ argv }: Known, host: Host): Promise<number> {
  const isJson = wantsJson(argv, host.environment);
  const text = interruptionText('SIGINT', host.interruption.standing(), isJson);
  await host.stderr.write(isJson ? text : prose(text, host.stderr.columns));
  return 130;
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
  argv: readonly string[],
  host: Host,
): Promise<string> {
  const { environment, stderr } = host;
  const mode = modeAsked(argv, environment.WAYBILL_COLOR);
  const palette = await paletteFor(colourLevel({ mode, environment, isTerminal: stderr.isTerminal }));
  const complaint = prose(complaintText(error, palette), stderr.columns);
  return complaint + (stack === null ? '' : `${sanitized(stack)}\n`);
}

/** Found without parsing: the line may be wrong. */
function modeAsked(argv: readonly string[], twin: string | undefined): (typeof colourModes)[number] {
  const flag = argv.findIndex((token) => /^--colou?r(=|$)/.test(token));
  const asked = flag === -1 ? twin : (argv[flag]?.split('=')[1] ?? argv[flag + 1]);
  return colourModes.find((mode) => mode === asked) ?? 'auto';
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
