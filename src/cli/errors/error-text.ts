import type { Palette } from '../kit/output/palette.ts';
import { oneLine, sanitized } from '../kit/output/sanitize.ts';
import { isSameInvocation, shellLine } from '../kit/result/invocation.ts';
import { invocationsIn, plainText, plainWording, textOf, type Wording } from '../kit/result/message.ts';
import type { ErrorReport } from './error-report.ts';

/** An error for people: what happened, why, what to do next. To have said no is no error. */
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
 * The service tells programs that the contract was broken; people read what is wrong with what they gave. What a
 * service says stands on one line.
 */
function messageOf({ code, message, details, status }: ErrorReport, wording: Wording): string {
  if (code === 'invalid_request' && details.length > 0) return 'The service rejected the request:';
  const text = textOf(message, wording);
  return status === null ? sanitized(text) : oneLine(text);
}

/** One reason is a sentence; several are a line each. */
function whyLines(why: string): string[] {
  const lines = why.split('\n').map(oneLine);
  return lines.length === 1 ? lines : lines.map((line) => `  ${line}`);
}

/** Not where the message has them, or the reasons do, or a near name was found among many. */
function choicesLine({ choices, hint, message, why }: ErrorReport): string[] {
  return choices.length === 0 ||
    choices.every((choice) =>
      plainText(why ?? '')
        .split('\n')
        .some((line) => line.startsWith(`${choice} `)),
    ) ||
    plainText(message).includes(choices.join(', ')) ||
    (hint !== null && choices.length > 8)
    ? []
    : [`Choose from: ${oneLine(choices.join(', '))}`];
}

/** The commands that the hint does not name already. */
function nextLines({ next, hint }: ErrorReport, { place }: Wording): string[] {
  const named = invocationsIn(hint ?? '');
  const others = next.filter((step) => !named.some((line) => isSameInvocation(line, step)));
  return others.map((step) => {
    const when = step.when === '' ? '' : `   (${oneLine(step.when)})`;
    return `  ${oneLine(shellLine(place(step)))}${when}`;
  });
}
