import type { Palette } from '../kit/output/palette.ts';
import { oneLine, sanitized } from '../kit/output/sanitize.ts';
import { isSameInvocation, shellLine } from '../kit/result/invocation.ts';
import { invocationsIn, plainText, plainWording, textOf, type Wording } from '../kit/result/message.ts';
import type { ErrorReport } from './error-report.ts';

/** Formats an error for people: what happened, why, and what to do next. Declining at a prompt is not an error. */
export function errorText(error: ErrorReport, palette: Palette, wording = plainWording): string {
  const lines = [
    `${error.exit === 3 ? '' : `${palette.bad('Error:')} `}${messageOf(error, wording)}`,
    ...error.details.map(({ flag, path, message }) => `  ${oneLine(`${flag ?? path}: ${message}`)}`),
    ...(error.why === null || error.details.length > 0 ? [] : whyLines(textOf(error.why, wording))),
    ...(error.hint === null ? [] : [oneLine(textOf(error.hint, wording))]),
    ...choicesLine(error),
    ...nextLines(error, wording),
    ...(error.retry_after === null ? [] : [`Try again in ${error.retry_after} s.`]),
    ...(error.request_id === null ? [] : [palette.dim(`Request ${oneLine(error.request_id)}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Replaces the service's message about the contract by one about the input, for people. A message of the service is put
 * on one line.
 */
function messageOf({ code, message, details, status }: ErrorReport, wording: Wording): string {
  if (code === 'invalid_request' && details.length > 0) return 'The service rejected the request:';
  const text = textOf(message, wording);
  return status === null ? sanitized(text) : oneLine(text);
}

/** One reason is a sentence; several are on a line each. */
function whyLines(why: string): string[] {
  const lines = why.split('\n').map(oneLine);
  return lines.length === 1 ? lines : lines.map((line) => `  ${line}`);
}

/** Left out if the message or the reasons contain the choices, or if one was suggested. */
function choicesLine({ choices, hint, message, why }: ErrorReport): string[] {
  return choices.length === 0 ||
    choices.every((choice) =>
      plainText(why ?? '')
        .split('\n')
        .some((line) => line.startsWith(`${choice} `)),
    ) ||
    [', ', ' or '].some((joint) => plainText(message).includes(choices.join(joint))) ||
    (hint !== null && choices.length > 8)
    ? []
    : [`Choose from: ${oneLine(choices.join(', '))}`];
}

/** The commands that the hint does not already contain. */
function nextLines({ next, hint }: ErrorReport, { place }: Wording): string[] {
  const named = invocationsIn(hint ?? '');
  const others = next.filter((step) => !named.some((line) => isSameInvocation(line, step)));
  return others.map((step) => {
    const when = step.when === '' ? '' : `   (${oneLine(step.when)})`;
    return `  ${oneLine(shellLine(place(step)))}${when}`;
  });
}
