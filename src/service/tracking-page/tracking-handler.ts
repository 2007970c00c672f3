import type { showTracking } from '../../contract/pages.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { findStore } from '../../storage/stores.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { PageRefusal } from '../http/answers.ts';
import type { Handler } from '../http/handler.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { storeRecord } from '../stores/store-view.ts';
import { runDueTasks } from '../tasks/run-due-tasks.ts';
import { linkedDelivery } from './linked-delivery.ts';
import { languageOf } from './texts/texts.ts';
import type { Shop } from './tracked-delivery.ts';

/**
 * The page for the recipient, by the clock of the delivery's mode. The token grants access, so the error does not
 * repeat it.
 */
export const trackingPage: Handler<typeof showTracking> = async ({
  service,
  params,
  query,
  accept_language,
}) => {
  const read = () => service.storage.read((db) => linkedDelivery(db, params.token));
  const found = await read();
  const { missingPage, renderPage } = await import('./page.ts');
  const language = languageOf(query.lang, accept_language);
  if (found === null) {
    throw new PageRefusal('record_not_found', "This tracking link isn't valid.", missingPage(language));
  }
  const owner = service.inMode(found.row.test_mode);
  await runDueTasks(owner);
  const { row, is_retried } = (await read()) ?? found;
  const provider = owner.providers.find(({ name }) => name === row.service);
  return renderPage(row, {
    now: owner.clock.now(),
    language,
    shop: await shopOf(owner, row),
    is_retried,
    may_call: provider?.takes_recipient_calls ?? false,
  });
};

/** The current logo and phone number of a delivery's store. */
async function shopOf({ storage }: ServiceContext, row: DeliveryRow): Promise<Shop> {
  const { store_id } = deliveryRecord(row);
  const store = store_id === null ? undefined : await storage.run((db) => findStore(db, row, store_id));
  if (store === undefined) return { phone: '', logo: '' };
  const { support_phone: phone, logo } = storeRecord(store);
  return { phone, logo };
}
