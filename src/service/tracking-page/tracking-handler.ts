import type { showTracking } from '../../contract/tracking.ts';
import { deliveryByToken } from '../../storage/deliveries.ts';
import { PageRefusal } from '../http/answers.ts';
import type { Handler } from '../http/handler.ts';
import { runDueTasks } from '../tasks/run-due-tasks.ts';
import { languageOf } from './texts/texts.ts';

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
  const found = await service.storage.first(deliveryByToken, params.token);
  const { missingPage, renderPage } = await import('./page.ts');
  const language = languageOf(query.lang, accept_language);
  if (found === undefined) {
    throw new PageRefusal('record_not_found', "This tracking link isn't valid.", missingPage(language));
  }
  const owner = service.inMode(found.test_mode);
  await runDueTasks(owner);
  const row = await service.storage.first(deliveryByToken, params.token);
  return renderPage(row ?? found, { now: owner.clock.now(), language });
};
