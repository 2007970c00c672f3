import type { Context } from '../context.ts';

/** Who sends events where no service runs beside the commands; nothing where one does. */
export function sendersNotes({ settings }: Context): string[] {
  if (settings.target.kind !== 'embedded') return [];
  return [
    'Events are sent while `waybill serve` or `waybill listen` runs, and by `waybill sandbox advance`; other commands leave them waiting.',
  ];
}
