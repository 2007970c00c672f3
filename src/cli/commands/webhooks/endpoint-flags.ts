import { namedEventTypes, type SubscribableType, subscribableTypes } from '../../../contract/vocabulary.ts';
import { choice, type Flag, flag, list, readChoice, text } from '../../kit/args/flags.ts';
import { flagLabel } from '../../kit/args/input.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import type { Input } from '../../session/command.ts';
import { defined } from '../orders/order-flags.ts';

const named: ReadonlySet<string> = new Set(namedEventTypes);
/** The types included in the default subscription. */
const ordinary = subscribableTypes.filter((type) => type !== '*' && !named.has(type));
const beginnings = [...new Set(ordinary.map((type) => `${type.split('.')[0]}.*`))];
const patterns: readonly string[] = [...subscribableTypes, ...beginnings];

/** The flags of a new or changed endpoint. */
export const endpointFlags = {
  events: eventsFlag(),
  description: text({ summary: 'Description to recognize it by' }),
};

/** The flags that change an endpoint. */
export const changeFlags = {
  url: text({ summary: 'URL to send events to' }),
  ...endpointFlags,
  enable: flag({ summary: 'Enable the endpoint and send queued events' }),
  disable: flag({ summary: 'Disable the endpoint; events are queued' }),
  clear: choice({ summary: 'Clear a field', choices: ['description'], placeholder: 'FIELD' }),
};

/** `--events order.failed,batch.completed`, or repeated. */
function eventsFlag(): Flag<SubscribableType[]> {
  const summary = "Event types, comma-separated, or 'delivery.*'; '*' is every type except opt-in ones";
  const read = (texts: readonly string[]) => texts.flatMap((given) => given.split(',').flatMap(meant));
  return {
    ...list({ summary, placeholder: 'TYPES' }),
    choices: patterns,
    read: (texts) => [...new Set(read(texts))],
    absent: () => [],
  };
}

/** The types that a pattern stands for; the API accepts no pattern except `*`. */
function meant(given: string): SubscribableType[] {
  const pattern = readChoice(given.trim(), patterns);
  const beginning = pattern.endsWith('.*') ? pattern.slice(0, -1) : null;
  return beginning === null
    ? subscribableTypes.filter((type) => type === pattern)
    : ordinary.filter((type) => type.startsWith(beginning));
}

type Changes = Input<typeof changeFlags, Record<never, never>>['flags'];

/** The changes given by flags, in the form of the contract; UsageError if there are none or they conflict. */
export function changesOf({ url, events, description, enable, disable, clear }: Changes) {
  if (enable && disable) throw contradiction('enable', 'disable');
  if (clear !== undefined && description !== undefined) throw contradiction('clear', 'description');
  const body = defined({
    url,
    events: events.length === 0 ? undefined : events,
    description: clear === undefined ? description : '',
    status: switchedTo(enable, disable),
  });
  if (Object.keys(body).length > 0) return body;
  const choices = Object.keys(changeFlags).map(flagLabel);
  throw new UsageError('Specify at least one change.', { code: 'missing_input', choices });
}

function switchedTo(enable: boolean, disable: boolean) {
  if (enable) return 'enabled' as const;
  return disable ? ('disabled' as const) : undefined;
}

function contradiction(one: string, other: string): UsageError {
  return new UsageError(`${flagLabel(one)} and ${flagLabel(other)} cannot be used together.`);
}
