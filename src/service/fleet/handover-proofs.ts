/** The proofs of handovers by own drivers: what an order asks for, and the pictures of a tap. */

import { Problem } from '../../contract/errors.ts';
import type { Tap } from '../../contract/pages.ts';
import { unverified_tag } from '../../contract/vocabulary.ts';
import { isJpeg, withoutMetadata } from '../../domain/pictures.ts';
import type { Connection, DeliveryRow, Scope } from '../../storage/database.ts';
import { insertDeliveryNote, insertPicture, pictureBytes } from '../../storage/deliveries.ts';
import { findOrders } from '../../storage/orders.ts';
import type { DeliveryRecord } from '../deliveries/delivery-view.ts';
import { orderRecord } from '../orders/order-view.ts';
import type { WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { type TapText, tapTexts } from './tap-texts.ts';

/** The pictures of a tap in base64; null without one, and for anything else than a JPEG. */
export interface Pictures {
  photo: string | null;
  signature: string | null;
}

export function picturesIn({ photo, signature }: Pick<Tap, 'photo' | 'signature'>): Pictures {
  return { photo: jpegIn(photo), signature: jpegIn(signature) };
}

function jpegIn(picture: string | undefined): string | null {
  const data = /^data:image\/jpeg;base64,([A-Za-z0-9+/]+={0,2})$/.exec(picture ?? '')?.[1];
  return data !== undefined && isJpeg(data) ? withoutMetadata(data) : null;
}

/** A tap that hands a parcel over. */
interface Handover {
  tap: Tap;
  pictures: Pictures;
}

const reasonIn = ({ no_photo_reason = '' }: Tap) => no_photo_reason.trim();

/**
 * Why a handover lacks what its order asks for; null if it does not. A reason takes the place of a picture; the PIN is
 * checked elsewhere.
 */
export async function missingProof(
  db: Connection,
  row: DeliveryRow,
  { tap, pictures }: Handover,
): Promise<TapText | null> {
  const [missing] = await missingPictures(db, row, pictures);
  return missing === undefined || reasonIn(tap) !== '' ? null : refusals[missing];
}

const refusals = { photo: tapTexts.needs_photo, signature: tapTexts.needs_signature };

/** The pictures that an order asks for and that were not taken. */
async function missingPictures(
  db: Connection,
  row: DeliveryRow,
  pictures: Pictures,
): Promise<(keyof Pictures)[]> {
  const [order] = await findOrders(db, row, [row.order_id]);
  if (order === undefined) return [];
  const { request_contactless, request_signature, photo_wanted } = orderRecord(order);
  const needsPhoto = request_contactless || photo_wanted === true;
  return [
    ...(needsPhoto && pictures.photo === null ? (['photo'] as const) : []),
    ...(request_signature && pictures.signature === null ? (['signature'] as const) : []),
  ];
}

/** Notes at a delivery that it was handed over without a proof that its order asks for; `today` lists it then. */
export async function noteUnverified(
  { db, chance, now }: WriteContext,
  row: DeliveryRow,
  { tap, pictures, pin_unverified }: Handover & { pin_unverified: boolean },
): Promise<void> {
  const missing = await missingPictures(db, row, pictures);
  const lacks = [...(pin_unverified ? ['a checked PIN'] : []), ...missing.map((each) => `a ${each}`)];
  if (lacks.length === 0) return;
  const reason = missing.length === 0 ? '' : `: ${reasonIn(tap)}`;
  const { account_id, test_mode, id: delivery_id } = row;
  await insertDeliveryNote(db, {
    id: newId(chance, 'nte', now, delivery_id, unverified_tag),
    account_id,
    test_mode,
    delivery_id,
    note: `Handed over without ${lacks.join(' and without ')}${reason}`,
    tags: JSON.stringify([unverified_tag]),
    created_at: now,
  });
}

/** What the pictures of an account and mode may take up in all. */
export const max_picture_bytes = 10 * 1024 ** 3;

/** Whether an account has room for more pictures. */
export async function hasPictureRoom(db: Connection, scope: Scope, more: number): Promise<boolean> {
  return (await pictureBytes(db, scope)) + more <= max_picture_bytes;
}

/**
 * Stores the pictures of a handover whose record names them: no others, so that a phone cannot fill the database with
 * what nobody sees.
 */
export async function storePictures(
  db: Connection,
  { account_id, test_mode, id: delivery_id }: DeliveryRow,
  { pictures, now }: { pictures: readonly { id: string; data: string }[]; now: number },
): Promise<void> {
  const more = pictures.reduce((sum, { data }) => sum + data.length, 0);
  if (more === 0) return;
  if (!(await hasPictureRoom(db, { account_id, test_mode }, more))) {
    const gigabytes = max_picture_bytes / 1024 ** 3;
    throw new Problem('limit_reached', `The pictures of this account take up ${gigabytes} GB, its limit.`);
  }
  for (const { id, data } of pictures) {
    const bytes = data.length;
    await insertPicture(db, { id, account_id, test_mode, delivery_id, data, bytes, created_at: now });
  }
}

/** Whether the record of a delivery names a picture. */
export function namesPicture({ proof, signature }: DeliveryRecord, url: string): boolean {
  return proof.some((each) => each.url === url) || signature?.image_url === url;
}
