import type { Flag } from '../../kit/args/flags.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { deliverySummary } from '../../nouns/delivery.ts';
import { deliveryWord, findDeliveryId, foundBy } from '../../nouns/find-delivery.ts';
import { clearFlag, defined, orderFlags, withCleared } from '../../nouns/order-flags.ts';
import { defineCommand, type Input, positional } from '../../session/command.ts';

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
  clear: clearFlag(['pickup-unit', 'pickup-notes', 'dropoff-email', 'dropoff-unit', 'dropoff-notes']),
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
  flags,
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

type Values = Input<typeof flags, Record<never, never>>['flags'];

/** The changes given by flags, in the form of the contract. */
function bodyOf({ clear, ...given }: Values) {
  const changes = {
    pickup_name: given.pickupName,
    pickup_phone_number: given.pickupPhoneNumber,
    pickup_unit: given.pickupUnit,
    pickup_notes: given.pickupNotes,
    dropoff_name: given.dropoffName,
    dropoff_phone_number: given.dropoffPhoneNumber,
    dropoff_email: given.dropoffEmail,
    dropoff_unit: given.dropoffUnit,
    dropoff_notes: given.dropoffNotes,
    tip: given.tip,
  };
  return defined(withCleared(changes, clear));
}
