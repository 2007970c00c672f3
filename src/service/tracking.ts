import { Problem } from '../contract/errors.ts';
import type { showTracking } from '../contract/tracking.ts';
import { deliveryByToken } from '../storage/deliveries.ts';
import type { Handler } from './endpoint.ts';

/** The page for the recipient. The token is all that is asked for, so no word of it is in the refusal. */
export const trackingPage: Handler<typeof showTracking> = async ({ service, params, now }) => {
  const row = await service.storage.first(deliveryByToken, params.token);
  if (row === undefined) throw new Problem('record_not_found', 'There is no delivery behind this link.');
  const { renderPage } = await import('./tracking-page/page.ts');
  return renderPage(row, now);
};
