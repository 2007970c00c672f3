/** The flags of auto dispatch, the settings that they make, and the consent to it: for `orders create` and `orders import`. */
import type { OrderRequest, OrderSettings } from '../../../contract/orders.ts';
import { autoPreferences, type Mechanism, mechanisms } from '../../../contract/vocabulary.ts';
import { dollars } from '../../../domain/money.ts';
import { confirmSpending, limitWithoutTip, maxCostFlag } from '../../flow/price-limits.ts';
import { flagLabel } from '../../kit/args/command-input.ts';
import { choiceFlag, type GivenInput, moneyText, namesFlag, switchFlag } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { flagArgs, type InvocationFlags, quoted } from '../../kit/result/message.ts';
import type { Context, FlagValues } from '../../session/command.ts';
import { secondsFlag, secondsText } from '../../session/typed-lengths.ts';

const group = 'Auto dispatch';

/** Flags of auto dispatch: one for each setting in the contract. */
const choosingFlags = {
  quotePreference: choiceFlag({
    summary: 'How to select a quote; preferred: from the first of --providers',
    choices: autoPreferences,
    placeholder: 'PREFERENCE',
    group,
  }),
  providers: namesFlag({
    summary: 'Only request quotes from these providers, in order of preference: a,b',
    group,
    question: 'Which providers, in order of preference? (a,b)',
    required: isPreferring,
  }),
  maxCost: maxCostFlag(group, ' per order'),
  retryWindow: secondsFlag({
    summary: 'How long to keep retrying (default 30m; 0s: one attempt)',
    minimum: 0,
    maximum: 86_400,
    group,
  }),
  retryInterval: secondsFlag({
    summary: 'Time between attempts (default 5m)',
    minimum: 10,
    maximum: 3600,
    group,
  }),
};

/** Flags that turn auto dispatch on and configure it. */
export const autoFlags = {
  auto: switchFlag({ summary: 'Dispatch automatically: request quotes, select one, and retry', group }),
  mechanism: choiceFlag({
    summary: 'The same by its name in the API: auto is --auto',
    choices: mechanisms,
    placeholder: 'MECHANISM',
    group,
  }),
  ...choosingFlags,
};

/** Preferred providers may be listed in a file, which is checked after it is read. */
function isPreferring(given: GivenInput): boolean {
  const isRead = given.has('file') || given.has('stdin');
  const isAuto = given.has('auto') || given.hasText('mechanism', 'auto');
  return !isRead && isAuto && given.hasText('quotePreference', 'preferred');
}

type ChoosingValues = FlagValues<typeof choosingFlags>;

type AutoValues = ChoosingValues & { auto: boolean; mechanism: Mechanism | undefined };

const flagNames = {
  quote_preference: 'quotePreference',
  providers: 'providers',
  max_cost: 'maxCost',
  retry_window: 'retryWindow',
  retry_interval: 'retryInterval',
} as const satisfies Partial<Record<keyof OrderSettings, keyof ChoosingValues>>;

/** The settings given by flags, in the form of the contract. */
export function chosenSettings(flags: ChoosingValues): OrderSettings {
  const given = Object.entries(flagNames).flatMap(([setting, name]) => {
    const value = flags[name];
    return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[setting, value]];
  });
  return Object.fromEntries(given);
}

/**
 * Merges the settings: those of the flags over those that came with the orders; null if there are neither. Throws
 * UsageError if a flag of auto dispatch is typed without auto dispatch, if preferred providers are requested and none is
 * named, or if --auto contradicts --mechanism. Values from the environment are ignored without auto dispatch, as they are defaults for it.
 */
export function autoDispatchSettings<S extends object>(
  { isTyped }: Pick<Context, 'isTyped'>,
  { auto, mechanism = auto ? 'auto' : undefined, ...flags }: AutoValues,
  fromOrders: S | null = null,
): (S & OrderSettings) | OrderSettings | null {
  if (auto && mechanism === 'manual')
    throw new UsageError('--auto and --mechanism manual contradict each other.');
  const chosen = mechanism === undefined ? {} : { mechanism };
  const isAuto = (mechanism ?? mechanismIn(fromOrders)) === 'auto';
  if (isAuto) return requireProviders({ ...fromOrders, ...chosen, ...chosenSettings(flags) });
  const unused = Object.values(flagNames).filter(isTyped).map(flagLabel);
  if (unused.length > 0) throw autoDispatchOff(unused);
  return fromOrders === null ? null : { ...fromOrders, ...chosen };
}

function requireProviders<S extends OrderSettings>(settings: S): S {
  if (settings.quote_preference !== 'preferred' || settings.providers !== undefined) return settings;
  throw new UsageError('Missing --providers. --preference preferred selects the first of them.', {
    code: 'missing_input',
    missing: ['--providers'],
  });
}

function mechanismIn(settings: object | null): unknown {
  return settings !== null && 'mechanism' in settings ? settings.mechanism : undefined;
}

function autoDispatchOff(labels: readonly string[]): UsageError {
  const [verb, it] = labels.length === 1 ? ['belongs', 'it'] : ['belong', 'them'];
  return new UsageError(`${labels.join(', ')} ${verb} to auto dispatch, which is not enabled.`, {
    hint: `Add --auto, or remove ${it}.`,
    missing: ['--auto'],
  });
}

/**
 * The settings as they are sent for some orders. The service's maximum is without the tip and the same for all of them,
 * so that the largest tip counts. Fails with exit 6 if that alone is above the maximum.
 */
export function settingsToSend(
  settings: OrderSettings,
  orders: readonly Pick<OrderRequest, 'tip'>[],
): OrderSettings {
  if (settings.max_cost === undefined) return settings;
  const max_cost = limitWithoutTip(settings.max_cost, Math.max(0, ...orders.map(tipIn)));
  return { ...settings, ...(max_cost === undefined ? {} : { max_cost }) };
}

/** The tip of an order in cents. A value from a file may be of any type. */
export function tipIn({ tip }: Pick<OrderRequest, 'tip'>): number {
  return Number.isInteger(tip) ? (tip ?? 0) : 0;
}

/** Says that orders of one request have different tips, so that less is left for some couriers than there might be. */
export function noteDifferentTips(context: Context, tips: ReadonlySet<number>): void {
  if (tips.size < 2) return;
  const message =
    'The orders have different tips: each is dispatched for at most --max-cost less the largest tip of its request.';
  const object = { type: 'warning', code: 'different_tips', message };
  context.note(context.output.json ? JSON.stringify(object) : message);
}

/** Asks the user to confirm auto dispatch, which selects quotes without showing them. */
export async function confirmAutoDispatch(
  context: Context,
  order_count: number,
  max_cost: number | undefined,
): Promise<void> {
  const orders = order_count === 1 ? 'the order' : `${order_count} orders`;
  const each = order_count === 1 ? '' : ` each (${dollars((max_cost ?? 0) * order_count)} together)`;
  const price = max_cost === undefined ? 'at any price' : `for up to ${dollars(max_cost)}${each}`;
  await confirmSpending(context, max_cost, async () => `Auto-dispatch ${orders} ${price}`);
}

/** Returns the flags that set these settings, by their names in the code. */
export function flagsOfSettings(settings: OrderSettings): InvocationFlags {
  const { mechanism, quote_preference, providers, max_cost, retry_window, retry_interval } = settings;
  return {
    ...(mechanism === 'auto' ? { auto: true } : {}),
    ...(quote_preference === undefined ? {} : { quotePreference: quote_preference }),
    ...(Array.isArray(providers) ? { providers: providers.join(',') } : {}),
    ...(isWhole(max_cost) ? { maxCost: moneyText(max_cost) } : {}),
    ...(isWhole(retry_window) ? { retryWindow: secondsText(retry_window) } : {}),
    ...(isWhole(retry_interval) ? { retryInterval: secondsText(retry_interval) } : {}),
  };
}

/** A value from a file may be of any type. */
function isWhole(value: number | undefined): value is number {
  return Number.isInteger(value);
}

/** Formats flags as typed: `--max-cost 12.50 --providers a,b`. */
export function flagText(flags: InvocationFlags): string {
  return flagArgs(flags).map(quoted).join(' ');
}
