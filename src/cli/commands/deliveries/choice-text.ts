import type { Try } from '../../../contract/batches.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import { alignedRows, type Cell } from '../../kit/output/rows.ts';
import { oneLine, prose, wrapped } from '../../kit/output/sanitize.ts';
import type { CellValue, Show } from '../../kit/result/result.ts';
import type { Choice } from './choice.ts';

/** Explains which provider was selected and why, which ones were excluded, and the earlier attempts. */
export function choiceLines(choice: Choice | null, delivery: Delivery, show: Show): string[] {
  if (choice === null) return [];
  const left = choice.try.left_out.map(({ provider, reason }): Cell[] => [
    { text: oneLine(provider), paint: show.dim },
    { text: oneLine(reason) },
  ]);
  return [
    ...folded(chosenText(choice.try, delivery, show), show),
    ...(left.length === 0 ? [] : ['  Left out:']),
    ...alignedRows(left, { room: show.room, indent: 4 }),
    ...alignedRows(
      choice.earlier.map((attempt) => earlierCells(attempt, show)),
      show,
    ),
    ...moreText(choice, show),
  ];
}

/** The reason of a failed attempt, or else why its provider was selected. */
function chosenText({ provider, status, reason, number }: Try, delivery: Delivery, show: Show): string {
  const when = number === 1 ? 'the first try' : `try ${number}`;
  const who = `${provider ?? delivery.service}, ${show.money(delivery.payment_amount)}`;
  const end = reason === '' ? '' : `${status === 'refused' ? '; it came to nothing: ' : ', '}${reason}`;
  return oneLine(`Chosen by auto dispatch at ${when}: ${who}${end}.`);
}

function earlierCells({ number, created_at, status, provider, reason }: Try, show: Show): Cell[] {
  // Most reasons name the provider themselves.
  const who = provider === null || reason.includes(provider) ? '' : `${provider}: `;
  return [
    { text: `Try ${number}`, paint: show.dim },
    { text: show.clock(created_at) },
    { text: status, paint: show.status },
    { text: oneLine(who + reason) },
  ];
}

function moreText({ earlier, try: { number, order_id } }: Choice, { room }: Show): string[] {
  const more = number - 1 - earlier.length;
  return more <= 0 ? [] : prose(`  ${more} more before: waybill orders tries ${order_id}`, room).split('\n');
}

function folded(text: string, { room }: Show): string[] {
  const lines = room === null ? text : wrapped(text, Math.max(20, room - 2));
  return lines.split('\n').map((line) => `  ${line}`);
}

/** The rows for programs that read lines. */
export function choiceRows(choice: Choice | null): CellValue[][] {
  if (choice === null) return [];
  const { number, status, provider, reason, left_out } = choice.try;
  return [
    ['choice', number, status, provider, reason],
    ...left_out.map((each) => ['left_out', each.provider, each.code, each.reason]),
    ...choice.earlier.map((each) => ['earlier_try', each.number, each.status, each.provider, each.reason]),
  ];
}
