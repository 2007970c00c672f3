import type { Told } from '../errors.ts';
import type { Palette } from './palette.ts';
import { oneLine, sanitized } from './sanitize.ts';

/** An error for people: what happened, why, what to do next. To have said no is no error. */
export function complaintText(error: Told, palette: Palette): string {
  const lines = [
    `${error.exit === 3 ? '' : `${palette.bad('Error:')} `}${sanitized(error.message)}`,
    ...error.details.map(({ flag, path, message }) => `  ${oneLine(`${flag ?? path}: ${message}`)}`),
    ...(error.why === null || error.details.length > 0 ? [] : [oneLine(error.why)]),
    ...(error.hint === null ? [] : [oneLine(error.hint)]),
    ...choicesLine(error),
    ...nextLines(error),
    ...(error.retry_after === null ? [] : [`Try again in ${error.retry_after} s.`]),
    ...(error.request_id === null ? [] : [palette.dim(`Request ${oneLine(error.request_id)}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Not where a near name was found among many. */
function choicesLine({ choices, hint }: Told): string[] {
  return choices.length === 0 || (hint !== null && choices.length > 8)
    ? []
    : [`There is: ${oneLine(choices.join(', '))}`];
}

/** The commands that the hint does not name already. */
function nextLines({ next, hint }: Told): string[] {
  const others = next.filter(({ command }) => !(hint ?? '').includes(command));
  return others.map(
    ({ command, when }) => `  ${oneLine(command)}${when === '' ? '' : `   (${oneLine(when)})`}`,
  );
}
