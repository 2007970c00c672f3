import type { Transport } from '../../src/contract/operation.ts';
import type { Tap } from '../../src/contract/pages.ts';
import { startedAt } from './sandbox.ts';

let count = 0;

/** Sends taps of the page behind a driver's link. */
export function tapping(transport: Transport, link: unknown) {
  const path = `${new URL(String(link)).pathname}/taps`;
  const at = new Date(startedAt).toISOString();
  return async (...taps: (Partial<Tap> & Pick<Tap, 'kind'>)[]): Promise<void> => {
    const body = { sent_at: at, taps: taps.map((tap) => ({ id: `tap-${++count}`, at, ...tap })) };
    await transport({ method: 'POST', path, headers: {}, body: JSON.stringify(body) });
  };
}
