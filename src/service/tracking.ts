import type { showTracking } from '../contract/tracking.ts';
import { deliveryByToken } from '../storage/deliveries.ts';
import { PageRefusal } from './answers.ts';
import type { Handler } from './endpoint.ts';

/** The page for the recipient. The token is all that is asked for, so no word of it is in the refusal. */
export const trackingPage: Handler<typeof showTracking> = async ({ service, params, now }) => {
  const row = await service.storage.first(deliveryByToken, params.token);
  const { missingPage, renderPage } = await import('./tracking-page/page.ts');
  if (row === undefined) {
    throw new PageRefusal('record_not_found', 'There is no delivery behind this link.', missingPage());
  }
  return renderPage(row, now);
};
