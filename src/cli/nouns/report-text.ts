/** The sentences below a report: its total, what was paid, how long it took. */
import type { ReportRow } from '../../contract/accounting.ts';
import type { ReportView } from '../../domain/report-words.ts';
import { wrapped } from '../kit/output/terminal-lines.ts';
import type { Formatters } from '../kit/result/result.ts';
import { shares, shareText } from './report-row.ts';

interface TotalOptions {
  label?: string;
  /** Whether the rows are parts of the total; a single one has its counts. */
  isDivided?: boolean;
  views: readonly ReportView[];
}

export function totalText(
  all: ReportRow,
  show: Formatters,
  { label = 'Total', isDivided = true, views }: TotalOptions,
): string {
  const { orders, deliveries, delivered, total_cost, average_cost } = all;
  const tries = deliveries === orders ? '' : ` in ${deliveries} ${deliveries === 1 ? 'try' : 'tries'}`;
  const named = { delivered, 'under way': all.active, failed: all.failed, canceled: all.canceled };
  const parts = Object.entries(named).map(([name, count]) =>
    count === 0 && name !== 'delivered' ? '' : `, ${count} ${name}`,
  );
  const counts = `${orders} ${orders === 1 ? 'order' : 'orders'}${tries}${parts.join('')}`;
  const onTime =
    all.on_time + all.late - all.late_active === 0 ? '' : `; ${shareText(shares.on_time.of(all))} on time`;
  const average = average_cost === null ? '' : `; what was delivered cost ${show.money(average_cost)} each`;
  const total = `${show.strong(label)}: ${counts}${onTime}; ${show.money(total_cost)}${average}`;
  const texts = {
    fees: [paidText(all, show, views.includes('fees')), quotesText(all, show), overText(all, show)],
    rates: [sharesText(all), quotedText(all, show)],
    minutes: [minutesText(all), spreadText(all)],
  };
  const goods = `Order value ${show.money(all.order_value)}, of the delivered ones ${show.money(all.delivered_value)}`;
  const default_facts = [all.order_value === 0 ? null : goods, ...texts.fees, minutesText(all)];
  const facts = views.length === 0 ? default_facts : views.flatMap((view) => texts[view]);
  const lines = [
    ...(isDivided ? [total] : []),
    ...facts.flatMap((fact) => (fact === null ? [] : `${fact}.`)),
  ];
  return lines.map((line) => (show.room === null ? line : wrapped(line, show.room))).join('\n');
}

/** Where the kinds were asked for, it also says which of them nothing was paid for: their columns are left out. */
function paidText(all: ReportRow, show: Formatters, isAsked: boolean): string | null {
  const parts = [
    ['couriers', all.courier_prices],
    ['service fees', all.service_fees],
    ['tips', all.tips],
    ['ways back', all.return_fees],
    ['cancellation fees', all.cancellation_fees],
    ['adjustments', all.adjustments],
    ['other refunds', all.refunds],
  ] as const;
  const paid = parts.flatMap(([name, amount]) => (amount === 0 ? [] : [`${name} ${show.money(amount)}`]));
  const unpaid = isAsked ? parts.flatMap(([name, amount]) => (amount === 0 ? name : [])) : [];
  const none = unpaid.length === 0 ? '' : `; no ${unpaid.join(', ')}`;
  return paid.length === 0 ? null : `Paid, without what was given back: ${paid.join(', ')}${none}`;
}

function quotesText(all: ReportRow, show: Formatters): string | null {
  if (all.delivered === 0) return null;
  const difference = all.quoted_difference;
  const charged = `${show.money(Math.abs(difference))} ${difference < 0 ? 'less' : 'more'} was`;
  return `Quotes of ${show.money(all.quoted_cost)} for the delivered ones, and ${difference === 0 ? 'as much was' : charged} charged for them`;
}

/** Also of those that were not delivered: a way back costs more. */
function overText({ over_quote: count, over_quote_cost }: ReportRow, show: Formatters): string | null {
  if (count === 0) return null;
  const orders = count === 1 ? 'One order, delivered or not,' : `${count} orders, delivered or not,`;
  return `${orders} cost ${show.money(over_quote_cost)} more than quoted`;
}

function sharesText(all: ReportRow): string | null {
  const texts = (['declined', 'delivered', 'failed', 'canceled'] as const).flatMap((name) => {
    const text = shareText(shares[name].of(all));
    return text === null ? [] : [`${text} ${name}`];
  });
  return texts.length === 0
    ? null
    : `${texts.join(', ')}: declined is of the tries, the others are of the orders${decidedText(all)}`;
}

/** A share of all orders is low while many of them are under way. */
function decidedText({ active, delivered, failed, canceled }: ReportRow): string {
  const share = active === 0 ? null : shareText([delivered, delivered + failed + canceled]);
  return share === null ? '' : `, of which ${active} are under way: of the others ${share} were delivered`;
}

function quotedText({ quotes, average_quote }: ReportRow, show: Formatters): string | null {
  if (quotes === null || average_quote === null) return null;
  return `Chosen is of the routes that a courier quoted for; the ${quotes} quotes were ${show.money(average_quote)} on average`;
}

function minutesText(all: ReportRow): string | null {
  const averages = [
    ...(all.average_minutes === null ? [] : [`${all.average_minutes} min to the arrival`]),
    ...(all.average_pickup_minutes === null ? [] : [`${all.average_pickup_minutes} to the pickup`]),
    ...(all.average_wait_minutes === null
      ? []
      : [`${all.average_wait_minutes} at the store (of ${all.waited ?? 'those'} that reported it)`]),
    ...(all.average_late_minutes === null ? [] : [`the late ones ${all.average_late_minutes} late`]),
  ];
  return averages.length === 0 ? null : `On average ${averages.join(', ')}`;
}

function spreadText(all: ReportRow): string | null {
  const { median_minutes: median, shortest_minutes: shortest, longest_minutes: longest } = all;
  if (median === null) return null;
  const driver =
    all.average_assign_minutes === null ? '' : `; ${all.average_assign_minutes} to a driver on average`;
  return `To the arrival half took up to ${median} min, the fastest ${shortest} and the slowest ${longest}${driver}`;
}

export function totalsText(
  periods: readonly { label: string; all: ReportRow }[],
  views: readonly ReportView[],
  show: Formatters,
): string {
  return periods.map(({ label, all }) => totalText(all, show, { label, views })).join('\n');
}
