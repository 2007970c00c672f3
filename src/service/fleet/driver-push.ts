/**
 * Sends Web Push messages (RFC 8030) to the phones of drivers, so that they see news while the page is closed. A message
 * is encrypted for the phone and signed with the key of the service. A background task sends it to the push service of the
 * phone's browser. The phone has given its address, so internal addresses are refused, as for webhooks.
 */
import { task_waits_ms } from '../../domain/retries.ts';
import type { Connection, DriverRow } from '../../storage/database.ts';
import {
  deleteDriverPush,
  findDriver,
  findPushKey,
  insertPushKey,
  keepDriverPush,
  listDriverPushes,
  pushesOfDriver,
  replaceDriverPush,
  replacePushKey,
} from '../../storage/drivers.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { hashKey } from '../http/authentication.ts';
import type { Language } from '../http/page-language.ts';
import { publicUrlOfAccount } from '../runtime/account-settings.ts';
import type { ServiceContext, Task, TaskHandler, WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { plainHeaders } from '../runtime/outgoing-calls.ts';
import { reseal, type SealedTable } from '../runtime/sealing.ts';
import { type DriverNews, newTask } from '../runtime/task-kinds.ts';
import { newsText } from './push-texts.ts';

/** A push subscription, as the browser makes it with the public key of the service. */
interface Subscription {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

/** An offer is of no use later. */
const valid_seconds = 90;

const key_owner = 'push key';

/** The public key of the service, which is made when the first phone asks for it. */
export async function publicPushKey({ storage, sealing }: ServiceContext): Promise<string> {
  const known = await storage.read(findPushKey);
  if (known !== undefined) return known.public_key;
  const { default: webPush } = await import('web-push');
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  const private_key = await sealing.seal(key_owner, privateKey);
  const kept = await storage.transaction(async (db) => {
    await insertPushKey(db, { public_key: publicKey, private_key });
    return findPushKey(db);
  });
  return kept?.public_key ?? publicKey;
}

/** Sends what is new for a driver to this phone from now on, in the language of its page. */
export async function subscribe(
  { storage, sealing, clock }: ServiceContext,
  driver: DriverRow,
  { subscription, language }: { subscription: Subscription; language: Language },
): Promise<void> {
  const id = hashKey(subscription.endpoint);
  const sealed = await sealing.seal(id, JSON.stringify({ ...subscription, language }));
  const row = { id, driver_id: driver.id, subscription: sealed, created_at: clock.now() };
  await storage.transaction(async (db) => {
    // A phone whose link was replaced meanwhile gets no more messages.
    const current = await findDriver(db, driver, driver.id);
    if (current?.link_hash === driver.link_hash) await keepDriverPush(db, row);
  });
}

/** Schedules a message to each phone of a driver, so that none waits for another. `parts` identify it. */
export async function pushToDriver(
  { db, chance, now }: WriteContext,
  { id: subject, account_id, test_mode }: DriverRow,
  news: DriverNews,
  parts: readonly string[],
): Promise<void> {
  const tasks = (await pushesOfDriver(db, subject)).map(({ id: phone_id }) => {
    const id = newId(chance, 'tsk', now, 'push', ...parts, phone_id);
    const scope = { account_id, test_mode };
    const payload = { ...scope, phone_id, news, ...newsText(news, 'en') };
    return newTask('driver.push', { id, ...scope, subject, due_at: now }, payload);
  });
  await insertTasks(db, tasks);
}

/** A push service that could not be reached, or did not take a message. */
class PushFault extends Error {}

export const pushTask: TaskHandler<'driver.push'> = {
  run: sendPush,
  // The offer is seen on the page, and has ended by now.
  abandon: (service, task) => endPush(service, task, null),
  backoffAfter: (fault) => (fault instanceof PushFault ? task_waits_ms.push : undefined),
};

async function sendPush(service: ServiceContext, task: Task<'driver.push'>): Promise<void> {
  const { phone, pair, url } = await readReceiver(service, task);
  if (pair === undefined || phone === undefined) return endPush(service, task, null);
  await task.renew();
  const opened = await service.sealing.open(phone.id, phone.subscription);
  // Phones that subscribed before their language was kept read English.
  const { language = 'en', ...subscription }: Subscription & { language?: Language } = JSON.parse(opened);
  const request = await encryptMessage(messageOf(task, language), subscription, {
    subject: url.startsWith('https:') ? url : 'https://waybill.invalid',
    publicKey: pair.public_key,
    privateKey: await service.sealing.open(key_owner, pair.private_key),
  });
  if (request === null) return endPush(service, task, phone.id);
  const { openWebhookClient } = await import('../webhooks/delivery/http-post.ts');
  const { endpoint, headers, body } = request;
  const client = openWebhookClient(service);
  const sent = { url: endpoint, headers: plainHeaders(headers), body: body ?? '' };
  const { status_code, reason } = await client.post(sent).finally(() => client.close());
  const isGone = status_code === 404 || status_code === 410;
  if (!isGone && reason !== '') throw new PushFault(reason);
  await endPush(service, task, isGone ? phone.id : null);
}

/** The phone of a message, the keys of the service, and its address; without the phone if it is gone. */
function readReceiver(service: ServiceContext, { row, payload }: Task<'driver.push'>) {
  const { phone_id, account_id, test_mode } = payload;
  const scope = { account_id, test_mode };
  return service.storage.read(async (db) => {
    const driver = await findDriver(db, scope, row.subject);
    const phones = driver === undefined ? [] : await pushesOfDriver(db, driver.id);
    return {
      phone: phones.find(({ id }) => id === phone_id),
      pair: await findPushKey(db),
      url: await publicUrlOfAccount(service, db, scope),
    };
  });
}

interface Message {
  /** What the page of the phone shows. */
  text: string;
  /** A newer message replaces one of the same topic that is still waiting for the phone. */
  topic: string;
}

/** The message of a task; one of a version before this has only its English text. */
function messageOf({ payload }: Task<'driver.push'>, language: Language): Message {
  const { news, title, text } = payload;
  const shown = news === undefined ? { title, text } : newsText(news, language);
  return { text: JSON.stringify(shown), topic: news?.kind ?? title.replaceAll(' ', '-') };
}

/** The request that carries a message to a phone; null if the key of the phone is no point of the curve. */
async function encryptMessage(
  { text, topic }: Message,
  subscription: Subscription,
  vapidDetails: { subject: string; publicKey: string; privateKey: string },
) {
  const { default: webPush } = await import('web-push');
  try {
    const options = { vapidDetails, TTL: valid_seconds, urgency: 'high', topic } as const;
    return webPush.generateRequestDetails(subscription, text, options);
  } catch {
    return null;
  }
}

/** Read committed: it ends its own task, and deletes the phone if it is gone. */
function endPush({ storage }: ServiceContext, task: Task<'driver.push'>, gone: string | null): Promise<void> {
  return storage.transaction(async (db) => {
    await task.finish(db);
    if (gone !== null) await deleteDriverPush(db, gone);
  }, 'read committed');
}

/** The private key of the service. */
export const sealedPushKeys: SealedTable = {
  read: async (db, after) => {
    const row = after === null ? await findPushKey(db) : undefined;
    if (row === undefined) return [];
    return [
      {
        id: row.id,
        stored: [row.private_key],
        reseal: async (sealing, current) => {
          const sealed = await reseal(sealing, { owner: key_owner, stored: row.private_key, current });
          return (connection: Connection) => replacePushKey(connection, row, sealed);
        },
      },
    ];
  },
};

/** The subscriptions of phones. */
export const sealedPushes: SealedTable = {
  read: async (db, after, limit) =>
    (await listDriverPushes(db, after, limit)).map((row) => ({
      id: row.id,
      stored: [row.subscription],
      reseal: async (sealing, current) => {
        const sealed = await reseal(sealing, { owner: row.id, stored: row.subscription, current });
        return (connection) => replaceDriverPush(connection, row, sealed);
      },
    })),
};
