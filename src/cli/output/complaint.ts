import type { Told } from '../failures/errors.ts';
import type { Palette } from './palette.ts';
import { oneLine, sanitized } from './sanitize.ts';

/** An error for people: what happened, why, what to do next. To have said no is no error. */
export function complaintText(error: Told, palette: Palette): string {
  const lines = [
    `${error.exit === 3 ? '' : `${palette.bad('Error:')} `}${messageOf(error)}`,
    ...error.details.map(({ flag, path, message }) => `  ${oneLine(`${flag ?? path}: ${message}`)}`),
    ...(error.why === null || error.details.length > 0 ? [] : whyLines(error.why)),
    ...(error.hint === null ? [] : [oneLine(error.hint)]),
    ...choicesLine(error),
    ...nextLines(error),
    ...(error.retry_after === null ? [] : [`Try again in ${error.retry_after} s.`]),
    ...(error.request_id === null ? [] : [palette.dim(`Request ${oneLine(error.request_id)}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The service tells programs that the contract was broken; people read what is wrong with what they gave. What a
 * service says stands on one line.
 */
function messageOf({ code, message, details, status }: Told): string {
  if (code === 'invalid_request' && details.length > 0) return 'The request was refused:';
  return status === null ? sanitized(message) : oneLine(message);
}

/** One reason is a sentence; several are a line each. */
function whyLines(why: string): string[] {
  const lines = why.split('\n').map(oneLine);
  return lines.length === 1 ? lines : lines.map((line) => `  ${line}`);
}

/** Not where the message has them, or the reasons do, or a near name was found among many. */
function choicesLine({ choices, hint, message, why }: Told): string[] {
  return choices.length === 0 ||
    choices.every((choice) => why?.split('\n').some((line) => line.startsWith(`${choice} `))) ||
    message.includes(choices.join(', ')) ||
    (hint !== null && choices.length > 8)
    ? []
    : [`Choose from: ${oneLine(choices.join(', '))}`];
}

/** The commands that the hint does not name already. */
function nextLines({ next, hint }: Told): string[] {
  const others = next.filter(({ command }) => !(hint ?? '').includes(command));
  return others.map(
    ({ command, when }) => `  ${oneLine(command)}${when === '' ? '' : `   (${oneLine(when)})`}`,
  );
}
