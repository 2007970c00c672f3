import { findAccount } from '../../../storage/accounts.ts';
import type { WebhookEndpointRow, WebhookMessageRow } from '../../../storage/database.ts';
import { StorageUnavailable } from '../../../storage/errors.ts';
import { findEvents, type LoggedEvent } from '../../../storage/events.ts';
import { settingsOf } from '../../runtime/account-settings.ts';
import type { ServiceContext } from '../../runtime/context.ts';
import type { Sendable } from './attempt.ts';
import type { FailedMessages } from './failed-messages.ts';

type Parts = Pick<ServiceContext, 'storage' | 'publicUrl' | 'onFault'>;

/** Messages to one endpoint. */
interface EndpointMessages {
  endpoint: WebhookEndpointRow;
  rows: readonly WebhookMessageRow[];
}

/**
 * The events of the messages, by id. One that is sent to several endpoints is read once; messages whose event is
 * unreadable or missing are given up. Throws `StorageUnavailable`.
 */
export async function readSendables(
  service: Parts,
  failed: FailedMessages,
  all: readonly EndpointMessages[],
): Promise<Map<string, Sendable>> {
  const messages = all.flatMap(({ rows }) => rows);
  if (messages.length === 0) return new Map();
  const events = await readEvents(service, failed, messages);
  const urls = new Map<string, string>();
  for (const { endpoint, rows } of all) {
    const { account_id } = endpoint;
    if (rows.length > 0 && !urls.has(account_id)) urls.set(account_id, await publicUrlOf(service, endpoint));
  }
  const sendables = [...events.values()].map((event): [string, Sendable] => [
    event.id,
    { event, publicUrl: urls.get(event.account_id) ?? service.publicUrl },
  ]);
  return new Map(sendables);
}

/** The events of messages, by id; a message whose event is unreadable or missing is given up. */
async function readEvents(
  { storage }: Parts,
  failed: FailedMessages,
  messages: readonly WebhookMessageRow[],
): Promise<Map<string, LoggedEvent>> {
  const readOne = async (id: string) => (await storage.run((db) => findEvents(db, [id])))[0];
  const ids = [...new Set(messages.map(({ event_id }) => event_id))];
  const events = await storage
    .run((db) => findEvents(db, ids))
    .catch((fault: unknown) => {
      if (fault instanceof StorageUnavailable) throw fault;
      return readEach(messages, {
        read: ({ event_id }) => readOne(event_id),
        expel: failed.expel,
      });
    });
  const byId = new Map(events.map((event) => [event.id, event]));
  for (const message of messages) {
    const { event_id } = message;
    if (!byId.has(event_id)) await failed.expel(message, new Error(`event ${event_id} does not exist`));
  }
  return byId;
}

/** Reads items individually; an unreadable one is expelled. */
export async function readEach<T, R>(
  all: readonly T[],
  {
    read,
    expel,
  }: { read: (one: T) => Promise<R | undefined>; expel: (one: T, fault: unknown) => Promise<void> },
): Promise<R[]> {
  const found: R[] = [];
  for (const one of all) {
    try {
      const row = await read(one);
      if (row !== undefined) found.push(row);
    } catch (fault) {
      await expel(one, fault);
    }
  }
  return found;
}

/** The public URL in the settings of an endpoint's account; the service's own if they are unreadable. */
async function publicUrlOf(service: Parts, endpoint: WebhookEndpointRow): Promise<string> {
  const { storage, publicUrl, onFault } = service;
  try {
    const account = await storage.run((db) => findAccount(db, endpoint));
    return (account && settingsOf(account).public_url) ?? publicUrl;
  } catch (fault) {
    if (fault instanceof StorageUnavailable) throw fault;
    onFault?.(fault, null);
    return publicUrl;
  }
}
