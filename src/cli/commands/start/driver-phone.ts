import type { Tap } from '../../../contract/driver-page.ts';
import { BadOutcome } from '../../kit/errors/failure.ts';
import type { Context } from '../../session/context.ts';

/** The phone of a driver: it loads the driver's page and sends taps, as the page's script does. */
export interface DriverPhone {
  /**
   * Sends a tap with the current time, and with a position if the phone has moved. A tap on a button that has gone has
   * no effect.
   */
  tap(button: Pick<Tap, 'kind' | 'on' | 'offer_id' | 'delivery_ids'>, position?: Position): Promise<void>;
  /** The id of the first offer on the page; null without one. */
  offer(): Promise<string | null>;
}

export interface Position {
  lat: number;
  lng: number;
}

/** The phone with this link. */
export function driverPhone(context: Context, link: string): DriverPhone {
  const token = link.slice(link.lastIndexOf('/') + 1);
  const params = { token };
  let taps = 0;
  return {
    tap: async (button, position) => {
      const client = await context.client();
      const at = new Date(context.now()).toISOString();
      taps += 1;
      const made = { id: `tap-${taps}`, at, ...button };
      const moved = position && { position: { lat: position.lat, lng: position.lng, at } };
      const body = { sent_at: at, taps: [made], ...moved };
      const { data } = await client.driverPage.taps({ params, body });
      const refused = data.taps.find(({ outcome }) => outcome === 'refused');
      if (refused !== undefined) throw new BadOutcome(refused.message);
    },
    offer: async () => {
      const client = await context.client();
      const headers = { accept: 'text/html' };
      const page = await client.raw({ method: 'GET', path: `/drive/${token}`, headers });
      // Only the page has the id of an offer. Its script contains the name of the attribute, too.
      return /\bdata-offer="(dsp_[^"]+)"/.exec(page.text)?.[1] ?? null;
    },
  };
}
