import { drawingFormats } from '../../kit/output/formats.ts';
import { drawing } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { storeZone } from '../orders/store-zone.ts';
import { deliveryWord, findDelivery } from './find-delivery.ts';
import { trackingNotes } from './tracking-link.ts';

export const explain = defineCommand({
  name: 'explain',
  aliases: ['why', 'diagnose'],
  summary: 'Show history, cost and next steps of a delivery',
  description: [
    'Shows the timeline with skipped steps and durations, whether the delivery is late, the courier, the',
    'auto-dispatch selection, charges and refunds, and next steps as commands. With --json: delivery, timeline,',
    'late_seconds, choice, charges, paid, order_cost, cancellation, failed_task, next.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  examples: [
    { command: 'waybill deliveries explain DELIVERY', summary: 'Explain a delivery' },
    { command: 'waybill deliveries explain "#1042"', summary: 'Find it by your own reference' },
  ],
  effect: 'read',
  formats: drawingFormats,
  async run(context, { positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    const { explain } = await import('./explanation.ts');
    const { explanationRows, explanationText } = await import('./explanation-text.ts');
    const data = await explain(context, delivery);
    return drawing({
      data,
      id: delivery.id,
      rows: explanationRows(data),
      draw: (show) => explanationText(data, show.inZone(storeZone(delivery))),
      notes: trackingNotes(context, delivery),
    });
  },
});
