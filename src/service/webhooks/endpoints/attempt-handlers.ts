import type { listAttempts } from '../../../contract/webhook-endpoints.ts';
import { listAttempts as listRows } from '../../../storage/webhook-attempts.ts';
import type { Handler } from '../../http/handler.ts';
import { pageOf, pageRequest } from '../../http/paging.ts';
import { webhookAttemptView } from './endpoint-view.ts';
import { webhookEndpointOf } from './find-endpoint.ts';

export const pageOfWebhookAttempts: Handler<typeof listAttempts> = async (call) => {
  const { service, caller, params, query } = call;
  const { status, event_id, last: isLast, ...paging } = query;
  const { limit, after_id } = pageRequest(paging, 'att');
  return service.storage.read(async (db) => {
    const { id } = await webhookEndpointOf(db, caller.scope, params.webhook_endpoint_id);
    const wanted = { endpoint_id: id, limit, after_id, status, event_id, isLast };
    return pageOf(await listRows(db, wanted), webhookAttemptView);
  });
};
