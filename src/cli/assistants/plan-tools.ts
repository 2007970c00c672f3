/** Tools that change when things happen: the time of an order, and the pause of a store. */
import * as z from 'zod';
import type { Store } from '../../contract/places.ts';
import { findZone } from '../../domain/addresses.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { Failure } from '../kit/errors/failure.ts';
import { findDelivery } from '../nouns/find-delivery.ts';
import { endPause, pauseStoreUntil } from '../nouns/store-pause.ts';
import type { Context } from '../session/command.ts';
import { readScheduledInstant } from '../session/service-times.ts';
import { readMoment } from '../session/time-arguments.ts';
import { adds, defineTool, type OfferedTool } from './define-tool.ts';
import { deliveryText } from './lookup-tools.ts';

const store = z.string().min(1).describe("The store's name, or its ID");
const pausedStore = z.object({
  store_id: z.string(),
  name: z.string(),
  paused_until: z.string().nullable().describe('Null: it is not paused; the year 9999: until it is resumed'),
});

/** The tools for a change of plan: another time of an order, and a store that dispatches nothing for a while. */
export function planTools(context: Context): OfferedTool[] {
  const shown = ({ id, name, paused_until }: Store) => ({ store_id: id, name, paused_until });
  return [
    defineTool({
      name: 'pause_store',
      title: 'Pause a store',
      description:
        'Dispatches nothing from a store until a time, or until resume_store. Orders of auto dispatch wait; deliveries under way go on.',
      input: z.object({
        store,
        until: z.string().min(1).optional().describe("In the store's time: 9pm, or 2026-03-02T21:00"),
      }),
      output: pausedStore,
      needs: 'stores',
      annotations: adds,
      run: async ({ store: word, until }) =>
        shown(await pauseStoreUntil(context, word, until === undefined ? until : readMoment(until, 'ahead'))),
    }),
    defineTool({
      name: 'resume_store',
      title: 'Resume a store',
      description: 'Ends the pause of a store.',
      input: z.object({ store }),
      output: pausedStore,
      needs: 'stores',
      annotations: adds,
      run: async ({ store: word }) => shown(await endPause(context, word)),
    }),
    defineTool({
      name: 'reschedule_order',
      title: 'Change the time of an order',
      description:
        'Changes when an order is delivered, while no courier has it. A delivery that a courier has is refused: preview_cancellation and cancel_delivery, then ship_delivery with the new time, if the user agrees to both prices.',
      input: z.object({
        delivery: deliveryText,
        dropoff_at: z.string().min(1).describe("In the store's time: 8pm, or 2026-03-02T20:00"),
      }),
      output: z.object({
        order_id: z.string(),
        dropoff_at: z.string().nullable(),
        zone: z.string().nullable(),
      }),
      annotations: adds,
      run: async ({ delivery: text, dropoff_at: typed }) => {
        const { id, order_id, status } = await findDelivery(context, text, { changes: true });
        if (status !== 'request')
          throw new Failure(6, 'delivery_not_editable', `Delivery ${id} is with a courier, or has ended.`, {
            hint: 'Its price of canceling is that of preview_cancellation.',
          });
        const client = await context.client();
        const { data: order } = await client.orders.get({ params: { order_id } });
        const place = { name: 'dropoff', address: order.dropoff_address } as const;
        const at = await readScheduledInstant(context, readMoment(typed, 'visit'), place);
        const { data } = await client.orders.update({
          params: { order_id },
          body: withoutAbsent({ dropoff_at: at }),
        });
        return { order_id, dropoff_at: data.dropoff_at, zone: findZone(order.dropoff_address) };
      },
    }),
  ];
}
