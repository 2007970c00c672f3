import { BadValue, type Flag, list } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { deliverySummary } from '../../nouns/delivery.ts';
import { deliveryWord, findDeliveryId, foundBy } from '../../nouns/find-delivery.ts';
import { defined, orderFlags } from '../../nouns/order-flags.ts';
import { defineCommand, type Input, positional } from '../../session/command.ts';

/** The fields that can be cleared. */
const clearable = ['pickup-unit', 'pickup-notes', 'dropoff-email', 'dropoff-unit', 'dropoff-notes'] as const;
type Clearable = (typeof clearable)[number];

/** Flags for the fields of an order that can change until the pickup. */
const fieldFlags = {
  pickupName: optional(orderFlags.pickupName),
  pickupPhoneNumber: optional(orderFlags.pickupPhoneNumber),
  pickupUnit: orderFlags.pickupUnit,
  pickupNotes: orderFlags.pickupNotes,
  dropoffName: optional(orderFlags.dropoffName),
  dropoffPhoneNumber: optional(orderFlags.dropoffPhoneNumber),
  dropoffEmail: orderFlags.dropoffEmail,
  dropoffUnit: orderFlags.dropoffUnit,
  dropoffNotes: orderFlags.dropoffNotes,
  tip: orderFlags.tip,
};

const flags = {
  ...fieldFlags,
  clear: list({ summary: 'Clear a field', placeholder: 'FIELD' }),
};

function optional<T>(flag: Flag<T>): Flag<T> {
  return { ...flag, required: false };
}

export const edit = defineCommand({
  name: 'edit',
  aliases: ['update', 'change'],
  summary: 'Edit notes, units, names, phones, e-mail or tip before pickup',
  description: foundBy,
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: { ...flags, clear: { ...flags.clear, choices: clearable, read: readClear } },
  flagHints: {
    '--pickup-address': otherAddress('--pickup-address'),
    '--dropoff-address': otherAddress('--dropoff-address'),
  },
  examples: [
    {
      command: "waybill deliveries edit DELIVERY --dropoff-notes 'Ring twice'",
      summary: 'Add a note for the courier',
    },
    { command: 'waybill deliveries edit DELIVERY --tip 5.00', summary: 'Raise the tip' },
    { command: 'waybill deliveries edit DELIVERY --clear dropoff-unit', summary: 'Clear the unit' },
  ],
  effect: 'write',
  oneOf: [
    'pickupName',
    'pickupPhoneNumber',
    'pickupUnit',
    'pickupNotes',
    'dropoffName',
    'dropoffPhoneNumber',
    'dropoffEmail',
    'dropoffUnit',
    'dropoffNotes',
    'tip',
    'clear',
  ],
  calls: ['deliveries.edit', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('deliveries.edit')],
  related: ['deliveries get', 'deliveries cancel'],
  async run(context, { flags: given, positionals }) {
    const body = bodyOf(given);
    const changed = Object.keys(body);
    const deliveryid = await findDeliveryId(context, positionals.delivery, { changes: true });
    const client = await context.client();
    const params = { deliveryid };
    const edited = await client.deliveries.edit({ params, body });
    const { data } =
      body.dropoff_email === undefined ? edited : await client.deliveries.getDetailed({ params });
    const names = changed.map((field) => field.replaceAll('_', ' ')).join(', ');
    return record(data, deliverySummary(changed), { notes: [`Changed: ${names}.`] });
  },
});

/** A courier's price depends on the addresses. */
function otherAddress(flag: string): Text {
  const cancel = invocation('deliveries cancel', ['DELIVERY']);
  const again = invocation('ship', ['--like', 'DELIVERY', flag, 'ADDRESS']);
  return phrase`An address cannot be changed once the delivery is dispatched. Cancel it with \`${cancel}\`, then ship it again: \`${again}\`.`;
}

function readClear(texts: readonly string[]): string[] {
  for (const text of texts) {
    if (!clearable.some((field) => field === text))
      throw new BadValue(`must be one of ${clearable.join(', ')}, not "${text}"`, clearable, text);
  }
  return [...texts];
}

type Values = Input<typeof flags, Record<never, never>>['flags'];

/** The changes given by flags, in the form of the contract; UsageError for a field both set and cleared. */
function bodyOf({ clear, ...given }: Values) {
  const textOrCleared = (field: Clearable, text: string | undefined) => {
    if (!clear.includes(field)) return text;
    if (text !== undefined) throw new UsageError(`--clear ${field} and --${field} cannot be used together.`);
    return '';
  };
  return defined({
    pickup_name: given.pickupName,
    pickup_phone_number: given.pickupPhoneNumber,
    pickup_unit: textOrCleared('pickup-unit', given.pickupUnit),
    pickup_notes: textOrCleared('pickup-notes', given.pickupNotes),
    dropoff_name: given.dropoffName,
    dropoff_phone_number: given.dropoffPhoneNumber,
    dropoff_email: textOrCleared('dropoff-email', given.dropoffEmail),
    dropoff_unit: textOrCleared('dropoff-unit', given.dropoffUnit),
    dropoff_notes: textOrCleared('dropoff-notes', given.dropoffNotes),
    tip: given.tip,
  });
}
