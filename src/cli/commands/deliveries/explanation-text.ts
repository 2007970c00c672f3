/**
 * The page of `deliveries explain` for people. `explanationText` puts its sections together, and each has a function that
 * returns its lines in their order; a section without lines is left out:
 *
 *     dlv_01M8RZKAN5000000YXNWS6VXFR  delivered
 *     6003, with poolride, asap, test mode
 *
 *     Timeline
 *       08:19 CST  waiting for a driver  6 min  poolride has it
 */
import type { Charge } from '../../../contract/accounting.ts';
import type { Try } from '../../../contract/batches.ts';
import type { AnyDelivery, Delivery } from '../../../contract/deliveries.ts';
import { fleet_provider } from '../../../contract/vocabulary.ts';
import { isCanceled, isEnded } from '../../../domain/delivery-states.ts';
import { findArrival, isLate } from '../../../domain/lateness.ts';
import { statusWithName, statusWord } from '../../../domain/status-words.ts';
import { alignedRows, besideOrBelow, type Cell } from '../../kit/output/aligned-rows.ts';
import { shareColumns } from '../../kit/output/bars.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { displayWidth, foldedLines, wrapProse } from '../../kit/output/terminal-lines.ts';
import { lengthText, tookText } from '../../kit/output/times.ts';
import type { Formatters, PlotCharset } from '../../kit/result/result.ts';
import { repeatsText } from '../../nouns/batch.ts';
import { failureText, shownProofs, vehicleText } from '../../nouns/delivery.ts';
import { courierText, hasFailedBeforeDriver, pinText, statusText } from '../../nouns/delivery-status-text.ts';
import { lateText } from '../../nouns/delivery-times.ts';
import {
  type AutoDispatchChoice,
  courierPlaceText,
  type Explanation,
  type TimelineStep,
} from '../../nouns/explanation.ts';
import { costText, itemText } from '../../nouns/order.ts';
import { noteText } from './get.ts';

export function explanationText(explanation: Explanation, show: Formatters): string {
  const { delivery } = explanation;
  const parts: [string, string[]][] = [
    ['', headLines(explanation, show)],
    ['Notes', noteLines(explanation, show)],
    ['Route', routeLines(delivery, show)],
    ['Courier', courierLines(explanation, show)],
    ['Timeline', timelineLines(explanation, show)],
    [
      'Selection',
      [...autoDispatchLines(explanation.choice, delivery, show), ...manualChoiceLines(explanation, show)],
    ],
    ['Money', moneyLines(explanation, show)],
    ['Next steps', nextLines(explanation, show)],
  ];
  return parts
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [...(title === '' ? [] : [show.strong(title)]), ...lines].join('\n'))
    .join('\n\n');
}

function headLines(explanation: Explanation, show: Formatters): string[] {
  const { delivery, late_seconds, canceled_by, outcome, failed_task } = explanation;
  const { id, status, external_order_ref, service, delivery_type, test_mode } = delivery;
  const promised = outcome === null ? null : delivery.details?.promised_at;
  const late =
    lateText(delivery, late_seconds, show) || (promised ? `Promised time: ${show.clock(promised)}.` : '');
  const isLateNow = isLate(late_seconds === null ? null : late_seconds * 1000);
  const facts = [
    external_order_ref,
    ...(service === '' ? [] : [providerText(delivery)]),
    delivery_type,
    modeText(test_mode),
  ];
  const shown_facts = facts.filter((fact) => fact !== '').map(oneLine);
  const named = statusWithName(status);
  const isTooLong = show.room !== null && named.length + 2 > show.room;
  return [
    ...besideOrBelow(
      { text: id, paint: show.strong },
      { text: isTooLong ? statusWord(status) : named, paint: show.status },
      { room: show.room },
    ),
    ...foldedLines(shown_facts.join(', '), show, ''),
    ...foldedLines(late, show, '').map(isLateNow ? show.warning : String),
    ...warningLines(stuckText(explanation, show), show),
    ...warningLines(disputeText(delivery, show), show),
    ...warningLines(failed_task === null ? '' : `Its dispatch needs a person: ${failed_task.error}`, show),
    ...warningLines(outcome ?? '', show),
    ...(canceled_by === null
      ? []
      : foldedLines(oneLine(`Canceled with the API key ${canceled_by}.`), show, '')),
  ];
}

/** `test mode`; empty if the service does not say it. */
function modeText(test_mode: boolean | undefined): string {
  if (test_mode === undefined) return '';
  return test_mode ? 'test mode' : 'live mode';
}

/** A sentence that asks for attention; no line for an empty one. */
function warningLines(text: string, show: Formatters): string[] {
  return foldedLines(oneLine(text), show, '').map(show.warning);
}

function noteLines({ notes }: Explanation, show: Formatters): string[] {
  return notes.flatMap((note) => foldedLines(noteText(note, show), show));
}

/** `Disputed, refunded $8.78: nothing arrived`; empty for a delivery that is not disputed. */
function disputeText(
  { status, dispute_reason, refunded_amount, details }: AnyDelivery,
  { money }: Formatters,
): string {
  if (status !== 'disputed') return '';
  const resolved = details?.dispute?.outcome;
  const outcome = resolved === 'refunded' ? `refunded ${money(refunded_amount)}` : (resolved ?? 'open');
  const reason = dispute_reason === null || dispute_reason === '' ? '' : `: ${dispute_reason}`;
  return `Disputed, ${outcome}${reason}`;
}

function providerText(delivery: Delivery): string {
  if (delivery.status === 'request') return `quoted by ${delivery.service}`;
  return `${hasFailedBeforeDriver(delivery) ? 'meant for' : 'with'} ${delivery.service}`;
}

/** `Stuck: its next report was due at 10:04, 28 min ago.`; empty for a delivery that is not. */
function stuckText({ overdue_seconds }: Explanation, show: Formatters): string {
  if (overdue_seconds === null) return '';
  const overdue_ms = overdue_seconds * 1000;
  const due = show.clock(new Date(show.now - overdue_ms).toISOString());
  return `Stuck: its next report was due at ${due}, ${lengthText(overdue_ms)} ago.`;
}

function routeLines(delivery: AnyDelivery, show: Formatters): string[] {
  const { pickup_name, pickup_phone_number, pickup_address, pickup_unit, pickup_notes, items } = delivery;
  const [dropoff] = delivery.dropoffs;
  const email = delivery.details?.dropoff_email ?? '';
  const parcel = items.length === 0 ? delivery.items_description : items.map(itemText).join(', ');
  const rows: [string, readonly (string | undefined)[]][] = [
    ['From', [pickup_name, phoneText(pickup_phone_number, show)]],
    ['', [pickup_address, pickup_unit]],
    ['', [pickup_notes]],
    ['To', [dropoff?.dropoff_name, phoneText(dropoff?.dropoff_phone_number, show)]],
    ['', [dropoff?.dropoff_address, dropoff?.dropoff_unit]],
    ['', [email === '' ? undefined : show.email(email)]],
    ['', [dropoff?.dropoff_notes]],
    ['Items', [parcel]],
    ['Tracking', [delivery.tracking_url]],
  ];
  return labelled(rows, show);
}

/** A phone number as it is shown; empty for a contact without one. */
function phoneText(number: string | undefined, { phone }: Formatters): string {
  return number ? phone(number) : '';
}

function courierLines({ delivery, courier_place }: Explanation, show: Formatters): string[] {
  const { courier_name, vehicle, status, handover_pin } = delivery;
  if (courier_name === null && vehicle === null && courier_place === null && !handover_pin) return [];
  const place = courier_place === null ? [] : [courierPlaceText(courier_place, delivery, show)];
  return labelled(
    [
      ['Driver', [courierText(delivery, show.phone)]],
      ['Vehicle', [vehicleText(delivery) ?? '']],
      ['Last seen', place],
      ['PIN', [isEnded(status) ? '' : pinText(delivery) || (courier_name === null ? '' : 'none is needed')]],
      ...shownProofs(delivery).map(({ type, url, by }): [string, string[]] => [
        'Proof',
        [[type, ...(by ? ['of', by] : []), ...(url ? [url] : [])].join(' ')],
      ]),
    ],
    show,
  );
}

/** Formats labels with their values, separated by commas; empty ones are left out. */
function labelled(rows: readonly [string, readonly (string | undefined)[]][], show: Formatters): string[] {
  const cells = rows.flatMap(([label, parts]): Cell[][] => {
    const text = parts.filter((part) => part !== undefined && part !== '').join(', ');
    return text === '' ? [] : [[{ text: label, paint: show.dim }, { text: oneLine(text) }]];
  });
  return alignedRows(cells, show);
}

function timelineLines({ timeline, delivery, choice, order_cost }: Explanation, show: Formatters): string[] {
  const plot = timelinePlot(timeline, show);
  const rows = timeline.map((step, index) => {
    const cells = stepCells(step, index === timeline.length - 1, delivery, show);
    return plot === null ? cells : [{ text: plot.marks[index] ?? '', paint: show.strong }, ...cells];
  });
  const [first] = timeline;
  const last = timeline.at(-1);
  const end = Date.parse(findArrival(delivery) ?? last?.at ?? '');
  const whole = tookText(end - Date.parse(first?.at ?? ''));
  const hasEnded = timeline.length > 1 && last !== undefined && isEnded(last.status);
  const begun = choice?.earlier.at(-1);
  const since =
    begun?.number === 1 ? `; ${tookText(end - Date.parse(begun.created_at))} from the first try` : '';
  const isOneOfSeveral = (choice?.try.number ?? 1) > 1 || order_cost !== null;
  const ofOrder = ` from beginning to end${isOneOfSeveral ? ` of this delivery${since}` : ''}`;
  return [
    ...(plot === null ? [] : [plot.line]),
    ...alignedRows(rows, show),
    ...(hasEnded ? foldedLines(whole + ofOrder, show).map(show.dim) : []),
  ];
}

function stepCells(step: TimelineStep, isLast: boolean, delivery: Delivery, show: Formatters): Cell[] {
  const { status, at, lasted_seconds, skipped } = step;
  if (skipped)
    return [
      { text: '' },
      { text: status, paint: show.dim },
      { text: '' },
      { text: 'not reported', paint: show.dim },
    ];
  return [
    { text: at === null ? '' : show.clock(at) },
    { text: statusWord(status), paint: show.status },
    { text: lasted_seconds === null ? '' : tookText(lasted_seconds * 1000), isRight: true },
    { text: oneLine(statusText(status, delivery, isLast ? show : null)) },
  ];
}

/** Which provider auto dispatch selected and why, which ones it left out, and the earlier attempts. */
export function autoDispatchLines(
  choice: AutoDispatchChoice | null,
  delivery: Delivery,
  show: Formatters,
): string[] {
  if (choice === null) return [];
  const left = choice.try.left_out.map(({ provider, reason }): Cell[] => [
    { text: oneLine(provider), paint: show.dim },
    { text: oneLine(reason) },
  ]);
  return [
    ...foldedLines(chosenText(choice.try, delivery, show), show),
    ...(left.length === 0 ? [] : ['  Left out:']),
    ...alignedRows(left, { room: show.room, indent: 4 }),
    ...alignedRows(
      choice.earlier.map((attempt) => earlierCells(attempt, show)),
      show,
    ),
    ...moreLines(choice, show),
  ];
}

/** The quote that was selected by hand, and the other quotes with their prices. */
function manualChoiceLines({ selection }: Explanation, show: Formatters): string[] {
  if (selection === null) return [];
  const { provider, price, reason, others } = selection;
  const rows = others.map((each): Cell[] => [
    { text: oneLine(each.provider), paint: show.dim },
    { text: show.money(each.price) },
    {
      text: `there at ${show.clock(each.dropoff_eta)}${each.left_out === null ? '' : `; left out: ${each.left_out}`}`,
    },
  ]);
  return [
    ...foldedLines(oneLine(`Chosen: ${provider}, ${show.money(price)}, ${reason}.`), show),
    ...alignedRows(rows, { room: show.room, indent: 4 }),
  ];
}

/** The reason of a failed attempt, or else why its provider was selected. */
function chosenText({ provider, status, reason, number }: Try, delivery: Delivery, show: Formatters): string {
  const when = number === 1 ? 'the first try' : `try ${number}`;
  const who = `${provider ?? delivery.service}, ${show.money(delivery.payment_amount)}`;
  const end = reason === '' ? '' : `${status === 'refused' ? '; it came to nothing: ' : ', '}${reason}`;
  return oneLine(`Chosen by auto dispatch at ${when}: ${who}${end}.`);
}

function earlierCells(attempt: Try, show: Formatters): Cell[] {
  const { number, created_at, status, provider, reason } = attempt;
  // Most reasons name the provider themselves.
  const who = provider === null || reason.includes(provider) ? '' : `${provider}: `;
  return [
    { text: `Try ${number}`, paint: show.dim },
    { text: show.clock(created_at) },
    { text: statusWord(status), paint: show.status },
    { text: oneLine([who + reason, repeatsText(attempt, show)].filter((part) => part !== '').join(', ')) },
  ];
}

/** `3 more before: waybill orders attempts ord_1`; no line if all are listed. */
function moreLines(
  { earlier, try: { number, order_id } }: AutoDispatchChoice,
  { room }: Formatters,
): string[] {
  const more = number - 1 - earlier.reduce((sum, { repeats }) => sum + 1 + (repeats || 0), 0);
  if (more <= 0) return [];
  return wrapProse(`  ${more} more before: waybill orders attempts ${order_id}`, room).split('\n');
}

function moneyLines(explanation: Explanation, show: Formatters): string[] {
  const { order_cost } = explanation;
  const lines = chargeLines(explanation, show);
  return order_cost === null ? lines : [...lines, ...foldedLines(costText(order_cost), show)];
}

function chargeLines({ charges, paid, delivery }: Explanation, show: Formatters): string[] {
  if (charges === null || paid === null) return priceLines(delivery, show);
  if (charges.length === 0) return foldedLines('Nothing was charged.', show);
  const rows = charges.map((charge): Cell[] => [
    { text: show.clock(charge.created_at) },
    { text: charge.kind },
    { text: show.money(charge.amount), isRight: true },
    { text: oneLine(chargeReason(charge, delivery)) },
  ]);
  const sum: Cell[] = [
    { text: '' },
    { text: 'paid', paint: show.strong },
    { text: show.money(paid), isRight: true, paint: show.strong },
    { text: feeText(delivery, show) },
  ];
  return alignedRows([...rows, sum], show);
}

/** The price from the delivery itself, for services that list no charges. */
function priceLines({ payment_amount, tip }: Delivery, show: Formatters): string[] {
  if (Number.isNaN(payment_amount)) return [];
  const onTop = tip === null || tip === 0 ? '' : `, and ${show.money(tip)} tip`;
  return foldedLines(`The price is ${show.money(payment_amount)}${onTop}.`, show);
}

/** The reason of a charge or a refund, as people read it. */
function chargeReason({ kind, reason }: Pick<Charge, 'kind' | 'reason'>, delivery: Delivery): string {
  const { service, status } = delivery;
  const because = (text: string | null) => (text === null || text === '' ? '' : `: ${text}`);
  if (kind === 'adjustment') return reason ?? '';
  if (kind === 'delivery')
    return service === fleet_provider
      ? 'your price for own drivers'
      : `${service}'s price and the processing fee`;
  if (kind === 'tip') return 'for the driver';
  if (kind === 'cancellation') return `what ${service} takes for canceling`;
  if (kind === 'return') return `the way back${because(failureText(delivery))}`;
  if (status === 'disputed') return `for the dispute${because(delivery.dispute_reason)}`;
  return isCanceled(status) ? 'it was canceled' : `it failed${because(failureText(delivery))}`;
}

/** The fee shown to recipients, if it differs from the amount charged. */
function feeText({ fee, payment_amount, upsell, subsidized }: Delivery, show: Formatters): string {
  if (fee === payment_amount) return '';
  const parts = [
    ...(upsell === null ? [] : [`${show.money(upsell)} upsell`]),
    ...(subsidized === null ? [] : [`${show.money(subsidized)} subsidized`]),
  ];
  return `shown as a fee of ${show.money(fee)} (${parts.join(', ')})`;
}

/** Lists each command with its reason beside it, or below it if the terminal is narrow. */
function nextLines({ next, cancellation, delivery }: Explanation, show: Formatters): string[] {
  const width = Math.max(0, ...next.map(({ command }) => displayWidth(command)));
  const reasons = Math.max(0, ...next.map((step) => displayWidth(step.when)));
  const isBeside = show.room === null || width + reasons + 4 <= show.room;
  const rows = isBeside
    ? alignedRows(
        next.map(({ command, when }) => [{ text: command }, { text: when, paint: show.dim }]),
        show,
      )
    : next.flatMap(({ command, when }) => [
        `  ${command}`,
        ...foldedLines(when, show, '      ').map(show.dim),
      ]);
  const isOpen = cancellation === null || cancellation.cancelable || isEnded(delivery.status);
  const kept = isOpen ? '' : cancellation.reason;
  return [...rows, ...(kept === '' ? [] : foldedLines(`It cannot be canceled: ${oneLine(kept)}.`, show))];
}

/** A timeline on one line, with the mark of each step; a step that was not reported has no mark. */
interface TimelinePlot {
  line: string;
  marks: string[];
}

/** The marks of the steps of a plot, in their order; a timeline with more steps has no plot. */
const marks = '123456789abcdefghijklmnopqrstuvwxyz';

/** The widest and the narrowest plot, in characters: wider shows nothing more, and narrower marks run into each other. */
const [max_width, min_width] = [76, 12];

const plot_indent = 2;

const signs: Readonly<Record<PlotCharset, { way: string; skipped: string; now: string }>> = {
  blocks: { way: '━', skipped: '·', now: '▶ now' },
  ascii: { way: '-', skipped: '.', now: '> now' },
};

/**
 * Draws the timeline to scale: a mark for each status, a dot for each that was skipped, with the durations between
 * them. A delivery under way ends at now. Returns null if there is no room or no step.
 *
 *     1━━2━━━━━━━━━━·3━━━4▶ now
 */
export function timelinePlot(
  timeline: readonly TimelineStep[],
  { plotCharset, room, dim, strong }: Pick<Formatters, 'plotCharset' | 'room' | 'dim' | 'strong'>,
): TimelinePlot | null {
  const reported = timeline.filter((step) => !step.skipped);
  const seconds = reported.map(({ lasted_seconds }) => lasted_seconds ?? 0);
  const isOpen = reported.at(-1)?.lasted_seconds != null;
  if (
    plotCharset === null ||
    room === null ||
    reported.length > marks.length ||
    seconds.every((each) => each === 0)
  )
    return null;
  const { way, skipped, now } = signs[plotCharset];
  const end = isOpen ? now : '';
  const space = Math.min(room - plot_indent, max_width) - timeline.length - displayWidth(end);
  if (space < Math.max(min_width, reported.length)) return null;
  const lengths = shareColumns(space, seconds);
  const parts = timeline.map((step) => {
    const place = reported.indexOf(step);
    const text = step.skipped ? dim(skipped) : strong(marks[place] ?? '') + way.repeat(lengths[place] ?? 0);
    return { mark: marks[place] ?? '', text };
  });
  const line = `${' '.repeat(plot_indent)}${parts.map(({ text }) => text).join('')}${strong(end)}`;
  return { line, marks: parts.map(({ mark }) => mark) };
}
