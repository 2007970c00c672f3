/** `deliveries edit`: the fields that can change until the pickup, and what to do about the others. */
import type { Delivery, DetailedDelivery } from '../../../contract/deliveries.ts';
import { fleet_provider } from '../../../contract/vocabulary.ts';
import { fieldNames, sameForAll, withoutAbsent } from '../../../domain/fields.ts';
import { dollars } from '../../../domain/money.ts';
import { editFault } from '../../../domain/status-words.ts';
import { type Flag, moneyText } from '../../kit/args/flags.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { invocation, type NextStep, phrase } from '../../kit/result/message.ts';
import { recordResult } from '../../kit/result/result.ts';
import { withWhomToCall } from '../../nouns/courier-contact.ts';
import { deliverySummary } from '../../nouns/delivery.ts';
import { changedWord, findDelivery, foundBy } from '../../nouns/find-delivery.ts';
import { findOrderId } from '../../nouns/find-order.ts';
import { clearFlag, orderFlags, withCleared } from '../../nouns/order-flags.ts';
import { type Context, defineCommand, type FlagValues, positional } from '../../session/command.ts';

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

const editFlags = {
  ...fieldFlags,
  dropoffUnit: { ...fieldFlags.dropoffUnit, aliases: ['unit', 'apt'] },
  dropoffNotes: { ...fieldFlags.dropoffNotes, aliases: ['notes', 'note'] },
  clear: clearFlag(['pickup-unit', 'pickup-notes', 'dropoff-email', 'dropoff-unit', 'dropoff-notes']),
};

/** The flag of an order for a command that requires none. */
function optional<T>(flag: Flag<T>): Flag<T> {
  return { ...flag, required: false };
}

const dropoffAddressFlags = ['--dropoff-address', '--address', '--street', '--house-number', '--zip'];

const otherAddress =
  'An address cannot be changed once the delivery is dispatched: it is canceled, and shipped again.';

export const edit = defineCommand({
  name: 'edit',
  aliases: ['update', 'change'],
  summary: 'Edit notes, units, names, phones, e-mail or tip before pickup',
  description: [
    `${foundBy} With one of your own drivers, what is for the recipient can be changed until the handover; after the`,
    'pickup by a courier company the error says whom to call.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: changedWord }) },
  flags: editFlags,
  flagHints: {
    '--pickup-address': otherAddress,
    ...sameForAll(dropoffAddressFlags, otherAddress),
    '--driver': phrase`Did you mean ${invocation('deliveries assign', ['DELIVERY'], { driver: 'VALUE' })}?`,
    ...Object.fromEntries(
      ['--pickup-at', '--dropoff-at'].map((flag) => [
        flag,
        phrase`Did you mean ${invocation('deliveries reschedule', ['DELIVERY', flag, 'VALUE'])}?`,
      ]),
    ),
  },
  flagSteps: {
    '--pickup-address': addressSteps('--pickup-address'),
    ...sameForAll(dropoffAddressFlags, addressSteps('--dropoff-address')),
  },
  examples: [
    {
      command: 'waybill deliveries edit DELIVERY --dropoff-unit 12C',
      summary: 'Correct the unit or apartment',
    },
    {
      command: "waybill deliveries edit DELIVERY --dropoff-notes 'Leave it with the neighbor at 12'",
      summary: 'Tell the driver where to leave it: with a neighbor, at the door, at the desk',
    },
    { command: 'waybill deliveries edit DELIVERY --tip 5.00', summary: 'Raise the tip' },
    { command: 'waybill deliveries edit DELIVERY --clear dropoff-unit', summary: 'Clear the unit' },
  ],
  effect: 'write',
  oneOf: fieldNames(editFlags),
  calls: [
    'deliveries.edit',
    'deliveries.getDetailed',
    'deliveries.listDetailed',
    'orders.get',
    'orders.list',
  ],
  answers: ({ one }) => [one('deliveries.edit')],
  related: ['deliveries get', 'deliveries cancel'],
  async run(context, { flags: given, positionals }) {
    const body = bodyOf(given);
    const changed = Object.keys(body);
    const before = await findDelivery(context, positionals.delivery, { changes: true }).catch(
      async (error: unknown) => {
        throw (await copyInstead(context, positionals.delivery, given)) ?? error;
      },
    );
    const client = await context.client();
    const params = { deliveryid: before.id };
    // A dry run is refused as the change would be.
    const fault = editFault(
      before,
      changed.some((field) => field.startsWith('pickup_')),
    );
    const refused = (error: unknown) =>
      withWhomToCall(context, before.id, error, tipSteps(before.id, given.tip));
    if (context.globals.dryRun && fault !== null)
      throw await refused(new Failure(6, 'delivery_not_editable', fault));
    const edited = await client.deliveries.edit({ params, body }).catch(async (error: unknown) => {
      throw await refused(error);
    });
    const { data } =
      body.dropoff_email === undefined ? edited : await client.deliveries.getDetailed({ params });
    const isChanged = (field: string) =>
      context.globals.dryRun || fieldOf(before, field) !== fieldOf(data, field);
    const names = changed
      .filter(isChanged)
      .map((field) => field.replaceAll('_', ' ') + replacedText(before, field))
      .join(', ');
    const shown =
      data.service === fleet_provider && data.courier_name ? ["The driver's page shows it at once."] : [];
    const notes =
      names === '' ? ['It was so already: nothing is changed.'] : [`Changed: ${names}.`, ...shown];
    return recordResult(data, deliverySummary(changed), { notes });
  },
});

function fieldOf(delivery: Delivery | DetailedDelivery, field: string): unknown {
  return new Map<string, unknown>(Object.entries({ ...delivery.dropoffs[0], ...delivery })).get(field);
}

/** A tip that comes too late is settled outside: the note is for who does it. */
function tipSteps(id: string, tip: number | undefined): NextStep[] {
  if (tip === undefined) return [];
  const note = invocation('deliveries note', [id, `Tip of ${dollars(tip)} to settle with the driver`]);
  return [{ ...note, when: 'a tip is only taken before the pickup: note it for who settles it' }];
}

/** ` (was "Ring twice")`: the note or unit that a change replaced, as it is kept nowhere else. */
function replacedText({ pickup_unit, pickup_notes, dropoffs }: DetailedDelivery, field: string): string {
  const { dropoff_unit, dropoff_notes } = dropoffs[0] ?? {};
  const was = new Map(Object.entries({ pickup_unit, pickup_notes, dropoff_unit, dropoff_notes })).get(field);
  return was ? ` (was "${oneLine(was)}")` : '';
}

/** Says how an address is changed, on which the price of a courier depends: both prices first. */
function addressSteps(flag: string): NextStep[] {
  const copy = ['--like', 'DELIVERY', flag, 'VALUE'];
  return [
    { ...invocation('deliveries cancel', ['DELIVERY', '--price']), when: 'see what canceling costs' },
    { ...invocation('deliveries quote', copy), when: 'see what the other address costs' },
    { ...invocation('deliveries cancel', ['DELIVERY']), when: 'cancel it, and then' },
    { ...invocation('ship', copy), when: 'send it to the other address' },
  ];
}

type Values = FlagValues<typeof editFlags>;

/** The error for an order that is not sent, with the commands that change it; null for any other text. */
async function copyInstead(context: Context, text: string, { clear: _, tip, ...given }: Values) {
  const client = await context.client();
  const order = await findOrderId(context, text)
    .then((order_id) => client.orders.get({ params: { order_id } }))
    .then(
      ({ data }) => data,
      () => null,
    );
  if (order?.status !== 'open') return null;
  const changes = { ...given, tip: tip === undefined ? undefined : moneyText(tip) };
  const message = `Order ${order.id} has no delivery, and an order is not edited: cancel it, and create a changed copy.`;
  return new Failure(6, 'delivery_not_editable', message, {
    next: [
      { ...invocation('orders cancel', [order.id]), when: 'cancel it, and then' },
      { ...invocation('orders create', [], { like: order.id, ...changes }), when: 'create the changed copy' },
    ],
  });
}

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
  return withoutAbsent(withCleared(changes, clear));
}
