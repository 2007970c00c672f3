/**
 * Commands that change one delivery by hand: its fields, notes and dispute, and for own drivers its driver, its status
 * and the lock of its PIN.
 */
import { ApiError } from '../../../client/errors.ts';
import { records } from '../../../client/pages.ts';
import type { Delivery, DeliveryNote, DetailedDelivery } from '../../../contract/deliveries.ts';
import {
  fleet_provider,
  handoverFailures,
  nobody,
  reportableStatuses,
} from '../../../contract/vocabulary.ts';
import { hasEndedBadly, isEnded } from '../../../domain/delivery-states.ts';
import { withoutAbsent } from '../../../domain/fields.ts';
import { statusPhrase } from '../../../domain/status-words.ts';
import { choiceFlag, type Flag, listFlag, moneyText, textFlag } from '../../kit/args/flags.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { type Column, listResult, recordResult } from '../../kit/result/result.ts';
import { withWhomToCall } from '../../nouns/cancellation.ts';
import { deliverySummary } from '../../nouns/delivery.ts';
import { disputableUntil } from '../../nouns/delivery-steps.ts';
import { driverWord, findDriverId, findNextDriver } from '../../nouns/find-by-name.ts';
import { changedWord, findDelivery, findDeliveryId, foundBy } from '../../nouns/find-delivery.ts';
import { findOrderId } from '../../nouns/find-order.ts';
import { clearFlag, orderFlags, withCleared } from '../../nouns/order-flags.ts';
import { fetchRoute } from '../../nouns/route.ts';
import {
  type Context,
  choicePositional,
  defineCommand,
  type FlagValues,
  positional,
} from '../../session/command.ts';
import { inShownZone } from '../../session/listing.ts';

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
    '--pickup-address': otherAddress('--pickup-address'),
    '--dropoff-address': otherAddress('--dropoff-address'),
  },
  examples: [
    {
      command: "waybill deliveries edit DELIVERY --dropoff-notes 'Ring twice'",
      summary: 'Replace the note for the courier',
    },
    {
      command: "waybill deliveries edit DELIVERY --dropoff-notes 'Leave it with the neighbor at 12'",
      summary: 'Tell the driver where to leave it: with a neighbor, at the door, at the desk',
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
    const edited = await client.deliveries.edit({ params, body }).catch(async (error: unknown) => {
      throw await withWhomToCall(context, before.id, error);
    });
    const { data } =
      body.dropoff_email === undefined ? edited : await client.deliveries.getDetailed({ params });
    const names = changed.map((field) => field.replaceAll('_', ' ') + replacedText(before, field)).join(', ');
    const shown =
      data.service === fleet_provider && data.courier_name ? ["The driver's page shows it at once."] : [];
    return recordResult(data, deliverySummary(changed), { notes: [`Changed: ${names}.`, ...shown] });
  },
});

/** ` (was "Ring twice")`: the note or unit that a change replaced, as it is kept nowhere else. */
function replacedText({ pickup_unit, pickup_notes, dropoffs }: DetailedDelivery, field: string): string {
  const { dropoff_unit, dropoff_notes } = dropoffs[0] ?? {};
  const was = new Map(Object.entries({ pickup_unit, pickup_notes, dropoff_unit, dropoff_notes })).get(field);
  return was ? ` (was "${oneLine(was)}")` : '';
}

/** Says how an address is changed, on which the price of a courier depends. */
function otherAddress(flag: string): Text {
  const cancel = invocation('deliveries cancel', ['DELIVERY']);
  const again = invocation('ship', ['--like', 'DELIVERY', flag, 'ADDRESS']);
  return phrase`An address cannot be changed once the delivery is dispatched. Cancel it with \`${cancel}\`, then ship it again: \`${again}\`.`;
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

const noteColumns: readonly Column<DeliveryNote>[] = [
  { field: 'created_at', header: 'Created', kind: 'time' },
  { field: 'text', header: 'Note', kind: 'text', prose: true },
  { field: 'tags', header: 'Tags', kind: 'text', unlessEmpty: true },
  { field: 'delivery_id', header: 'Delivery', kind: 'id', wide: true },
  { field: 'id', header: 'ID', kind: 'id', wide: true },
];

export const note = defineCommand({
  name: 'note',
  aliases: ['comment'],
  summary: 'Add a note to a delivery for the next agent',
  description: [
    `${foundBy} Notes and their tags are internal: couriers, recipients and webhooks do not get them. They are listed`,
    'by deliveries explain and deliveries get. Without TEXT the notes are listed, newest first.',
  ].join('\n'),
  positionals: {
    delivery: positional('delivery', { summary: changedWord }),
    text: positional('text', { summary: 'Text of the note; - reads stdin', optional: true }),
  },
  flags: { tag: listFlag({ summary: 'Tag, such as callback' }) },
  examples: [
    {
      command: "waybill deliveries note DELIVERY 'Called at 6 pm, nobody answered' --tag callback",
      summary: 'Add a note with a tag',
    },
  ],
  effect: 'write',
  calls: ['deliveries.note', 'deliveries.notes', 'deliveries.list', 'deliveries.listDetailed'],
  answers: ({ one, each }) => [one('deliveries.note'), each('deliveries.notes', 'without TEXT')],
  related: ['deliveries explain', 'deliveries get'],
  async run(context, { flags: { tag }, positionals: { delivery, text: given } }) {
    if (given === undefined && tag.length > 0) throw new UsageError('A tag needs a note: add its text.');
    const deliveryid = await findDeliveryId(context, delivery, { changes: given !== undefined });
    const client = await context.client();
    if (given === undefined) {
      const page: typeof client.notes.list = (input) =>
        client.deliveries.notes({ ...input, params: { deliveryid } });
      return listResult({
        data: records(page, {}),
        columns: await inShownZone(context, noteColumns),
        empty: `${deliveryid} has no notes.`,
      });
    }
    const words = given === '-' ? (await context.readFile('-')).trim() : given;
    const { data } = await client.deliveries.note({
      params: { deliveryid },
      body: { text: words, ...(tag.length === 0 ? {} : { tags: tag }) },
      idempotencyKey: context.idempotencyKey(),
    });
    return recordResult(data, await inShownZone(context, noteColumns), {
      notes: [
        `Added a note to ${deliveryid}. Drivers and recipients do not see it.`,
        'A note for the driver is changed with `deliveries edit --dropoff-notes`, until the pickup.',
      ],
    });
  },
});

export const dispute = defineCommand({
  name: 'dispute',
  aliases: ['complain', 'contest'],
  summary: 'Dispute a completed delivery (within 30 days)',
  description: foundBy,
  positionals: { delivery: positional('delivery', { summary: changedWord, statuses: ['delivered'] }) },
  flags: {
    reason: textFlag({ summary: 'What went wrong', required: () => true, isAskedLater: true }),
  },
  meantByWord: (_, [delivery = 'DELIVERY', ...reason]) =>
    invocation('deliveries dispute', [delivery], { reason: reason.join(' ') }),
  examples: [
    {
      command: "waybill deliveries dispute DELIVERY --reason 'It never came'",
      summary: 'Dispute a delivery that never arrived',
    },
    {
      command: "waybill deliveries dispute DELIVERY --reason 'The soup was cold'",
      summary: 'Refund a customer: that is done where they paid; a dispute asks the courier for money back',
    },
  ],
  effect: 'write',
  calls: ['deliveries.dispute', 'deliveries.getDetailed', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('deliveries.dispute')],
  related: ['disputes resolve', 'deliveries explain', 'charges list'],
  async run(context, { flags: { reason }, positionals }) {
    const deliveryid = await disputableId(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.deliveries.dispute({
      params: { deliveryid },
      body: { reason: reason ?? (await askReason(context)) },
      idempotencyKey: context.idempotencyKey(),
    });
    const next = invocation('disputes resolve', [data.id]);
    return recordResult(data, deliverySummary(), { notes: [`Disputed ${data.id}.`, phrase`Next: ${next}`] });
  },
});

/**
 * Checks that the delivery can be disputed before the user is asked anything. A repeated request is left to the
 * service, which repeats its response.
 */
async function disputableId(context: Context, typed: string): Promise<string> {
  if (context.globals.dryRun || context.globals.idempotencyKey !== undefined)
    return findDeliveryId(context, typed, { changes: true });
  const delivery = await findDelivery(context, typed, { changes: true });
  const { id, status } = delivery;
  const until = disputableUntil(delivery);
  if (status === 'delivered' && (until === null || until > context.serviceNow())) return id;
  const why =
    status === 'delivered'
      ? 'was delivered more than 30 days ago'
      : `is ${statusPhrase(status)}: only a completed delivery can be disputed`;
  throw new Failure(6, 'delivery_not_disputable', `Delivery ${id} ${why}.`, {
    next: [{ ...invocation('deliveries explain', [id]), when: 'see where it stands' }],
  });
}

async function askReason(context: Context): Promise<string> {
  const prompts = await context.prompts();
  const check = (typed: string) => (typed.trim() === '' ? 'Describe what went wrong.' : null);
  return prompts.text('What went wrong?', { check });
}

export const assign = defineCommand({
  name: 'assign',
  aliases: ['reassign'],
  summary: 'Give a delivery of your own fleet to one of your drivers',
  description: [
    'The driver gets it without being asked, with the rest of its route, in place of the driver who had it. After the',
    `pickup its status, PIN and charges stay the same: one driver hands the parcel over to the other. ${foundBy}`,
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: changedWord }) },
  flags: {
    driver: textFlag({
      summary: driverWord,
      placeholder: 'DRIVER',
      aliases: ['driver-id'],
      required: true,
      question: 'Which driver?',
    }),
    from: textFlag({
      summary: `Only if this driver has it now; "${nobody}": only if nobody has`,
      placeholder: 'DRIVER',
      aliases: ['from-driver-id'],
    }),
  },
  examples: [
    { command: 'waybill deliveries assign DELIVERY --driver DRIVER', summary: 'Assign to a driver' },
    {
      command: 'waybill deliveries assign DELIVERY --from DRIVER --driver DRIVER',
      summary: 'Hand over, unless someone else was faster',
    },
  ],
  effect: 'write',
  calls: [
    'drivers.assign',
    'drivers.list',
    'drivers.get',
    'deliveries.listDetailed',
    'deliveries.get',
    'routes.get',
  ],
  answers: ({ one }) => [one('drivers.assign')],
  related: ['drivers list', 'deliveries report', 'deliveries explain'],
  async run(context, { flags, positionals }) {
    const delivery_id = await findDeliveryId(context, positionals.delivery, { changes: true });
    const driver_id = await findNextDriver(context, flags.driver);
    const client = await context.client();
    const { from } = flags;
    const from_driver_id = from === undefined || from === nobody ? from : await findDriverId(context, from);
    const body = { delivery_id, ...withoutAbsent({ from_driver_id }) };
    const { data } = await client.drivers
      .assign({ params: { driver_id }, body, idempotencyKey: context.idempotencyKey() })
      .catch(async (error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'delivery_not_assignable') throw error;
        throw await waysToDriver(context, error, { delivery_id, driver: flags.driver });
      });
    const route = data.route_id === null ? null : await fetchRoute(context, data.route_id);
    const isOneOfSeveral = (route?.order_ids.length ?? 1) > 1;
    const what = isOneOfSeveral ? `all that is left of route ${data.route_id}` : data.id;
    const outcome =
      data.status === 'scheduled'
        ? `Scheduled: ${flags.driver} gets ${what} 45 minutes before the agreed time, or earlier if the way is long.`
        : `Assigned ${what} to ${data.courier_name}.`;
    return recordResult(data, deliverySummary(), { notes: [outcome] });
  },
});

/** The error with the commands that still give the delivery to the driver, if a courier company has or had it. */
async function waysToDriver(
  context: Context,
  error: ApiError,
  { delivery_id, driver }: { delivery_id: string; driver: string },
): Promise<unknown> {
  const client = await context.client();
  const { data } = await client.deliveries.get({ params: { deliveryid: delivery_id } });
  const cancel = {
    ...invocation('deliveries cancel', [delivery_id]),
    when: 'cancel it at its courier, and then',
  };
  const retry = {
    ...invocation('deliveries retry', [delivery_id], { driver }),
    when: 'give it to the driver',
  };
  if (!isEnded(data.status)) return new Failure(6, error.code, error.message, { next: [cancel, retry] });
  return hasEndedBadly(data.status) ? new Failure(6, error.code, error.message, { next: [retry] }) : error;
}

export const report = defineCommand({
  name: 'report',
  summary: 'Report a status for one of your drivers, such as one whose phone is dead',
  description: [
    'As if the driver had tapped it, without a PIN or a proof. What could not be handed over is enroute_to_return, then',
    'returned; what could not be picked up, or is lost, is failed. Statuses that must have been passed are reported with',
    `it. The note is kept as an internal note, and the audit log has the report. ${foundBy}`,
  ].join('\n'),
  positionals: {
    delivery: positional('delivery', { summary: changedWord }),
    status: choicePositional({ choices: reportableStatuses, summary: 'What happened' }),
  },
  flags: {
    note: textFlag({
      summary: 'How you know',
      placeholder: 'TEXT',
      required: true,
      question: 'How do you know?',
    }),
    failureReason: choiceFlag({
      choices: handoverFailures,
      summary: 'With enroute_to_return: why it could not be handed over',
      placeholder: 'REASON',
    }),
  },
  examples: [
    {
      command: "waybill deliveries report DELIVERY delivered --note 'Sam called from the door'",
      summary: 'Report a handover',
    },
    {
      command:
        "waybill deliveries report DELIVERY enroute_to_return --failure-reason recipient_unreachable --note 'Rang twice'",
      summary: 'Report that it comes back',
    },
  ],
  effect: 'write',
  calls: ['deliveries.report', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('deliveries.report')],
  related: ['deliveries assign', 'today', 'deliveries explain'],
  async run(context, { flags: { note: explanation, failureReason }, positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery, { changes: true });
    const client = await context.client();
    const { data } = await client.deliveries.report({
      params: { deliveryid },
      body: {
        status: positionals.status,
        note: explanation,
        ...withoutAbsent({ failure_reason: failureReason }),
      },
      idempotencyKey: context.idempotencyKey(),
    });
    if (!context.output.json) context.note(`Reported ${data.id} as ${data.status}.`);
    warnOfUnreportedPickup(context, data);
    return recordResult(data, deliverySummary());
  },
});

/** Warns if the pickup was only reported with a later status: whether the driver has the parcel may not be known. */
function warnOfUnreportedPickup(context: Context, { id, status, status_history }: Delivery): void {
  const at = (wanted: string) => status_history.findLast((each) => each.status === wanted)?.created_at;
  const pickup = at('pickup_complete');
  if (status === 'pickup_complete' || pickup === undefined || pickup !== at(status)) return;
  const message = `The pickup of ${id} was never reported: it counts as picked up now, with this report. Ask the driver if the parcel was collected.`;
  context.warning('pickup_not_reported', message);
}

export const unlock = defineCommand({
  name: 'unlock',
  summary: 'Let a driver try PINs again after five wrong ones',
  description: [
    'Five wrong PINs lock the handover of a delivery of your own fleet: the driver cannot report it as delivered, even',
    `with the right PIN. The PIN stays the same after the lock is lifted. ${foundBy}`,
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: changedWord }) },
  examples: [{ command: 'waybill deliveries unlock DELIVERY', summary: 'Lift the lock' }],
  effect: 'write',
  calls: ['deliveries.unlock', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('deliveries.unlock')],
  related: ['today', 'deliveries explain'],
  async run(context, { positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery, { changes: true });
    const client = await context.client();
    const { data } = await client.deliveries.unlock({
      params: { deliveryid },
      idempotencyKey: context.idempotencyKey(),
    });
    return recordResult(data, deliverySummary(), {
      notes: [`Unlocked ${data.id}: the driver may try again.`],
    });
  },
});
