/**
 * The proofs of handovers by own drivers: checks that a tap has the pictures that its order asks for, stores them, and notes
 * at the delivery what is missing. Also the texts that a driver reads when a tap has no effect.
 */
import type { Tap } from '../../contract/pages.ts';
import { unverified_tag } from '../../contract/vocabulary.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';
import { isJpeg, withoutMetadata } from '../../domain/pictures.ts';
import { wordsInSearch } from '../../domain/search-text.ts';
import type { Connection, DeliveryRow, Scope } from '../../storage/database.ts';
import { addSearchWords, insertDeliveryNote, insertPicture, pictureBytes } from '../../storage/deliveries.ts';
import { findOrders } from '../../storage/orders.ts';
import type { DeliveryRecord } from '../deliveries/delivery-view.ts';
import { orderRecord } from '../orders/order.ts';
import type { WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';

/** A text for the driver, in each language of the page. */
export interface TapText {
  readonly en: string;
  readonly es: string;
}

/** Why taps have no effect. */
export const tapTexts = {
  none: { en: '', es: '' },
  outdated: { en: 'This was already changed elsewhere.', es: 'Esto ya se cambió en otro lugar.' },
  unclear_duty: {
    en: 'The tap does not say whether the duty begins or ends.',
    es: 'El toque no dice si el turno empieza o termina.',
  },
  offer_ended: { en: 'This offer has ended.', es: 'Esta oferta ya terminó.' },
  one_by_one: {
    en: 'Report the handover to each recipient by itself.',
    es: 'Informe de la entrega a cada destinatario por separado.',
  },
  refused_before: {
    en: 'This was refused. Report the handover again.',
    es: 'Esto se rechazó. Informe otra vez de la entrega.',
  },
  locked: {
    en: `Locked after ${max_wrong_pins} wrong PINs, until your shop lifts it.`,
    es: `Bloqueado tras ${max_wrong_pins} PIN equivocados, hasta que su tienda lo desbloquee.`,
  },
  needs_photo: {
    en: 'This order needs a photo. Take one, or say why there is none.',
    es: 'Este pedido necesita una foto. Tome una o diga por qué no hay.',
  },
  no_room: {
    en: 'Your shop has no room for more pictures. Report it without one, and say why there is none.',
    es: 'Su tienda no tiene espacio para más imágenes. Informe sin imagen y diga por qué no hay.',
  },
  needs_signature: {
    en: 'This order needs a signature. Let the recipient sign, or say why there is none.',
    es: 'Este pedido necesita una firma. Pida que firme o diga por qué no hay.',
  },
} as const satisfies Record<string, TapText>;

/** Says that a PIN is wrong, and how many tries remain. */
export function wrongPinText(remaining: number): TapText {
  return {
    en: `The PIN is wrong. Ask the recipient again. ${remaining === 1 ? '1 try is' : `${remaining} tries are`} left.`,
    es: `El PIN no es correcto. Pregunte otra vez al destinatario. Intentos que quedan: ${remaining}.`,
  };
}

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

const refusals = { photo: tapTexts.needs_photo, signature: tapTexts.needs_signature };

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
  const note = `Handed over without ${lacks.join(' and without ')}${reason}`;
  await insertDeliveryNote(db, {
    id: newId(chance, 'nte', now, delivery_id, unverified_tag),
    account_id,
    test_mode,
    delivery_id,
    note,
    tags: JSON.stringify([unverified_tag]),
    created_at: now,
  });
  await addSearchWords(db, row.order_id, wordsInSearch(note));
}

/** What the pictures of an account and mode may take up in all. */
export const max_account_picture_bytes = 10 * 1024 ** 3;

export async function hasPictureRoom(db: Connection, scope: Scope, new_bytes: number): Promise<boolean> {
  return (await pictureBytes(db, scope)) + new_bytes <= max_account_picture_bytes;
}

/** Whether there is room for the pictures of a handover. */
export async function hasRoomFor(
  db: Connection,
  scope: Scope,
  { photo, signature }: Pictures,
): Promise<boolean> {
  const new_bytes = (photo?.length ?? 0) + (signature?.length ?? 0);
  return new_bytes === 0 || hasPictureRoom(db, scope, new_bytes);
}

/**
 * Stores pictures that the record of a delivery names (`namesPicture`), and no others, so that a phone cannot fill the
 * database with pictures that nobody sees. `hasRoomFor` is called before.
 */
export async function storePictures(
  db: Connection,
  { account_id, test_mode, id: delivery_id }: DeliveryRow,
  { pictures, now }: { pictures: readonly { id: string; data: string }[]; now: number },
): Promise<void> {
  for (const { id, data } of pictures) {
    const bytes = data.length;
    await insertPicture(db, { id, account_id, test_mode, delivery_id, data, bytes, created_at: now });
  }
}

export function namesPicture({ proof, signature }: DeliveryRecord, url: string): boolean {
  return proof.some((each) => each.url === url) || signature?.image_url === url;
}
