/** Commands for deliveries by the shop's own drivers: assign one, report its status, unlock its PIN. */
import { ApiError } from '../../../client/errors.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import { handoverFailures, nobody, reportableStatuses } from '../../../contract/vocabulary.ts';
import { hasEndedBadly, isEnded } from '../../../domain/delivery-states.ts';
import { withoutAbsent } from '../../../domain/fields.ts';
import { choiceFlag, textFlag } from '../../kit/args/flags.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { invocation } from '../../kit/result/message.ts';
import { recordResult } from '../../kit/result/result.ts';
import { deliverySummary } from '../../nouns/delivery.ts';
import { driverWord, findDriverId, findNextDriver } from '../../nouns/find-by-name.ts';
import { changedWord, findDeliveryId, foundBy } from '../../nouns/find-delivery.ts';
import { fetchRoute } from '../../nouns/route.ts';
import { type Context, choicePositional, defineCommand, positional } from '../../session/command.ts';

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
  meantByWord: (word, [delivery = 'DELIVERY', ...words]) =>
    invocation('deliveries assign', [delivery], { driver: words.join(' ').replace(/^to /, '') || word }),
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
  const at = (name: string) => status_history.findLast((each) => each.status === name)?.created_at;
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
