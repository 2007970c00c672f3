import { defineCommand, positional } from '../../command.ts';
import { deliveryWord, findDelivery } from '../../deliveries/finding.ts';
import { trackingNotes } from '../../deliveries/tracking-link.ts';
import { drawingFormats } from '../../line/globals.ts';
import { drawing } from '../../result.ts';

export const explain = defineCommand({
  name: 'explain',
  aliases: ['why', 'diagnose'],
  summary: 'What happened to a delivery, what it cost, and what can be done',
  description: [
    'The timeline with what the provider skipped and how long each part took, whether it is late, who the courier is,',
    'whom auto dispatch chose and why, what was charged and given back and why, and what can be done now, each as a',
    'command. With --json: delivery, timeline, late_seconds, choice, charges, paid, cancellation, next.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  examples: [
    { command: 'waybill deliveries explain DELIVERY', summary: 'The whole story' },
    { command: 'waybill deliveries explain "#1042"', summary: 'By your own reference' },
  ],
  effect: 'read',
  formats: drawingFormats,
  async run(context, { positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    const { explain } = await import('../../deliveries/explanation.ts');
    const { explanationRows, explanationText } = await import('../../deliveries/explanation-text.ts');
    const data = await explain(context, delivery);
    return drawing({
      data,
      id: delivery.id,
      rows: explanationRows(data),
      draw: (show) => explanationText(data, show),
      notes: trackingNotes(context, delivery),
    });
  },
});
