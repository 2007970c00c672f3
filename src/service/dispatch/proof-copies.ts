/**
 * Copies the pictures of a courier's proof of delivery, because the courier's links stop working after hours or days. A
 * proof has the courier's link first, and our link once the picture is copied.
 */
import { withoutMetadata } from '../../domain/pictures.ts';
import type { CourierProof } from '../../providers/courier.ts';
import { ProviderFault } from '../../providers/port.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { insertPicture, loadDelivery, lockDelivery } from '../../storage/deliveries.ts';
import { lockAccount } from '../../storage/locks.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { saveDelivery } from '../deliveries/delivery-transitions.ts';
import { type DeliveryRecord, deliveryRecord } from '../deliveries/delivery-view.ts';
import { hasPictureRoom } from '../fleet/handover-proofs.ts';
import { publicUrlOfAccount } from '../runtime/account-settings.ts';
import type { ServiceContext, Task, TaskHandler, WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { newTask, type TaskPayloads } from '../runtime/task-kinds.ts';

/**
 * The proofs of a report that the record does not have yet, each once. Links are compared with those of earlier reports
 * without their query, which couriers sign again for each report.
 */
export function newProofs(record: DeliveryRecord, proofs: readonly CourierProof[]): CourierProof[] {
  return proofs.filter(
    ({ type, url = '' }, index) =>
      !record.proof.some(
        (kept) => kept.type === type && withoutQuery(kept.source ?? kept.url) === withoutQuery(url),
      ) && proofs.findIndex((other) => other.type === type && (other.url ?? '') === url) === index,
  );
}

function withoutQuery(url: string): string {
  return url.split('?')[0] ?? '';
}

/** Schedules a copy of each picture; a PIN has no picture. */
export async function scheduleProofCopies(
  { db, chance, now }: WriteContext,
  { id: subject, account_id, test_mode }: DeliveryRow,
  proofs: readonly CourierProof[],
): Promise<void> {
  const pictures = proofs.filter(({ type }) => type !== 'pin');
  const tasks = pictures.map(({ type, url = '', data }) => {
    const id = newId(chance, 'tsk', now, 'proof', subject, type, url);
    return newTask('proof.copy', { id, account_id, test_mode, subject, due_at: now }, { type, url, data });
  });
  await insertTasks(db, tasks);
}

/** A picture that cannot be fetched keeps the courier's link. */
export const proofTask: TaskHandler<'proof.copy'> = {
  run: copyProof,
  abandon: (service, task) => service.storage.transaction((db) => task.finish(db), 'read committed'),
};

async function copyProof(service: ServiceContext, task: Task<'proof.copy'>): Promise<void> {
  const { payload } = task;
  const data = pictureIn(payload.data ?? (await fetchPicture(service, task.row.subject, payload.url)));
  const chance = await service.chance();
  const picture_id = await service.secrets.base62(22);
  const now = Math.max(task.now, service.clock.now());
  // Read committed: the copy only changes the delivery that it locks.
  await service.storage.transaction(async (db) => {
    const row = await lockDelivery(db, task.row.subject);
    await task.finish(db);
    if (row === undefined || data === null) return;
    const copied = withCopy(
      deliveryRecord(row),
      payload,
      `${await publicUrlOfAccount(service, db, row)}/proofs/${picture_id}`,
    );
    if (copied === null) return;
    const { account_id, test_mode, id: delivery_id } = row;
    const bytes = data.length;
    await lockAccount(db, row);
    // Without room the courier's link stays.
    if (!(await hasPictureRoom(db, { account_id, test_mode }, bytes))) return;
    await insertPicture(db, {
      id: picture_id,
      account_id,
      test_mode,
      delivery_id,
      data,
      bytes,
      created_at: now,
    });
    await saveDelivery({ db, chance, now, providers: service.providers }, row, copied);
  }, 'read committed');
}

/** Fetches a picture in base64; empty if the courier refuses it with a 4xx status, or the delivery is gone. */
async function fetchPicture(service: ServiceContext, delivery_id: string, url: string): Promise<string> {
  const row = await service.storage.read((db) => loadDelivery(db, delivery_id));
  if (row === undefined || !URL.canParse(url)) return '';
  const http = service.courier_http({ account_id: row.account_id, test_mode: row.test_mode === 1 });
  const headers = { accept: 'image/jpeg, image/png' };
  const { status, body } = await http({ method: 'GET', url, headers, body_as: 'base64' });
  if (status === 200) return body;
  if (status >= 400 && status < 500) return '';
  throw new ProviderFault(`${new URL(url).host} answered ${status} to the request of a picture`);
}

/** JPEG or PNG in base64, without metadata; null for anything else. */
function pictureIn(data: string): string | null {
  const isPicture = data.startsWith('/9j/') || data.startsWith('iVBORw0KGgo');
  return isPicture ? withoutMetadata(data) : null;
}

/** The record with the link of the copy; null if it has no such proof anymore. */
function withCopy(
  record: DeliveryRecord,
  { type, url: source }: TaskPayloads['proof.copy'],
  url: string,
): DeliveryRecord | null {
  const { proof, signature } = record;
  const index = proof.findIndex((each) => each.type === type && each.url === source);
  const found = proof[index];
  if (found === undefined) return null;
  const isSigned = type === 'signature' && signature !== null;
  return {
    ...record,
    proof: proof.with(index, { ...found, url, source }),
    ...(isSigned && { signature: { ...signature, image_url: url } }),
  };
}
