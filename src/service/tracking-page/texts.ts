/** The texts of the tracking page, for people who track a delivery, and how it says times and distances. */
import type { CoarsePrecision, ProofType } from '../../contract/vocabulary.ts';
import { minute_ms } from '../../domain/durations.ts';
import { etaWindow } from '../../domain/estimates.ts';
import { type Names, recipientTexts, recipientTextsOfFood } from '../../domain/recipient-texts.ts';
import type { Language } from '../http/page-language.ts';
import { html, type Markup } from '../pages/markup.ts';
import { instant } from '../runtime/time.ts';

/** `burq_canceled` is a cancellation by the operator of the service. */
export const english = {
  /** The name of the language in itself. */
  language: 'English',
  /** The locale of times and numbers. */
  locale: 'en-US',
  statuses: recipientTexts,
  /** What a shop with a kitchen says instead. */
  food: recipientTextsOfFood,
  /** At an address at which the courier has orders for others, too: nobody knows whose door is next. */
  in_building: {
    headline: 'Your courier is in your building',
    sentence: ({ courier }: Names) =>
      `${courier} has orders for others there, too, and comes to you in turn.`,
    step: 'Courier in the building',
  },
  tracking: 'Delivery tracking',
  /** What a messenger shows of the link. */
  preview_title: (merchant: string) => `Your order from ${merchant}`,
  preview: 'Where your order is, and when it arrives.',
  test: 'Test delivery',
  sender: 'the sender',
  courier: 'Your courier',
  /** The heading above the courier. */
  your_courier: 'Your courier',
  delivered_by: 'Delivered by',
  no_name: 'Name not given',
  /** By the words of a vehicle's type; the type itself if missing. */
  vehicles: new Map<string, string>(),
  delivered_at: 'Delivered',
  /** Between the ends of a window of time. */
  until: 'to',
  expected_at: 'Estimated arrival',
  was_expected_at: 'Was expected',
  late: 'Running late',
  /** More than these hours after the expected time. */
  overdue: (hours: number) => `More than ${hours === 1 ? 'an hour' : `${hours} hours`} late`,
  overdue_hint: (merchant: string) => `There is no new time. Please ask ${merchant} where your order is.`,
  in_minutes: (minutes: number) => `in about ${minutes} min`,
  in_hours: (hours: number, minutes: number) =>
    `in about ${hours} h${minutes === 0 ? '' : ` ${minutes} min`}`,
  miles: (distance: string) => `${distance} miles`,
  one_mile: '1 mile',
  under_a_tenth: 'less than 0.1 miles',
  away: (distance: string) => `${distance} away`,
  proofs: { photo: 'Photo taken', signature: 'Signature taken', pin: 'PIN confirmed' } satisfies Record<
    ProofType,
    string
  >,
  /** Between a proof and its time. */
  at: ' at ',
  /** The link to a picture of a proof. */
  show_picture: { photo: 'Show the photo', signature: 'Show the signature' },
  picture: { photo: 'Photo of the delivery', signature: 'Signature' },
  pin: 'Your PIN',
  pin_hint: 'Tell it to the courier when you receive your order.',
  call_courier: 'Call the courier',
  call_shop: (merchant: string) => `Call ${merchant}`,
  your_order: 'Your order',
  reference: 'Order number',
  notes: 'Instructions for the courier',
  /** How long they can be changed: own drivers see a change until the handover. */
  notes_hint: (isOwnDriver: boolean) =>
    `Such as the floor, a gate code or a safe place. You can change them until the ${isOwnDriver ? 'handover' : 'pickup'}.`,
  save: 'Save',
  saved: 'Saved.',
  not_saved: 'Not saved. Please try again.',
  too_late: 'Not saved: it is too late to change them.',
  too_often: 'Not saved: too many changes. Please wait a few minutes.',
  needs_script: 'To change the instructions, turn on JavaScript or contact the shop.',
  timeline: 'Timeline',
  /** The line that stands for the steps that are folded. */
  earlier: (count: number) => (count === 1 ? '1 earlier step' : `${count} earlier steps`),
  about: 'about',
  still_to_come: 'still to come',
  you: 'You',
  map_title: (merchant: string) => `Map of the route from ${merchant} to you`,
  no_location: 'This courier does not share their location.',
  updated_at: 'Updated at',
  times_are_in: 'Times are in',
  stale: 'Cannot load updates right now. Retrying automatically.',
  reloads: 'This page reloads by itself.',
  invalid_link: "This tracking link isn't valid",
  invalid_link_hint: 'Check that you copied the whole link, or ask the shop for a new one.',
};

/** All texts of the page in one language: the English ones say which there are. */
export type Texts = typeof english;

const spanish: Texts = {
  language: 'Español',
  locale: 'es-US',
  statuses: {
    request: {
      headline: 'Pedido recibido',
      sentence: ({ merchant }) => `${merchant} tiene su pedido y solicitará un repartidor.`,
    },
    delivery_created: {
      headline: 'Buscando un repartidor',
      sentence: ({ merchant }) => `Buscamos un repartidor que recoja su pedido en ${merchant}.`,
      step: 'Pedido confirmado',
    },
    scheduled: {
      headline: 'Entrega programada',
      sentence: ({ merchant }) => `Un repartidor recogerá su pedido en ${merchant} a la hora programada.`,
    },
    driver_assigned: {
      headline: 'Repartidor asignado',
      sentence: ({ merchant, courier }) => `${courier} recogerá su pedido en ${merchant}.`,
    },
    enroute_pickup: {
      headline: 'Repartidor en camino a recoger',
      sentence: ({ merchant, courier }) => `${courier} va a ${merchant} a recoger su pedido.`,
    },
    arrived_at_pickup: {
      headline: 'Repartidor en el punto de recogida',
      sentence: ({ merchant, courier }) => `${courier} está en ${merchant} recogiendo su pedido.`,
    },
    pickup_complete: {
      headline: 'Pedido recogido',
      sentence: ({ courier }) => `${courier} tiene su pedido. Puede haber otras paradas antes de la suya.`,
    },
    enroute_dropoff: {
      headline: 'En camino hacia usted',
      sentence: ({ courier }) => `${courier} le está llevando su pedido.`,
    },
    arrived_at_dropoff: {
      headline: 'Su repartidor ha llegado',
      sentence: ({ courier }) => `${courier} ha llegado a su dirección con su pedido.`,
      step: 'El repartidor llegó',
    },
    dropoff_complete: {
      headline: 'Pedido en el destino',
      sentence: () => 'Su pedido ya está en el destino. El repartidor está terminando la entrega.',
      step: 'En el destino',
    },
    driver_not_assigned: {
      headline: 'Buscando otro repartidor',
      sentence: ({ merchant }) =>
        `Su repartidor ya no está disponible. Buscamos otro que recoja su pedido en ${merchant}.`,
      step: 'Cambio de repartidor',
    },
    delivered: {
      headline: 'Entregado',
      sentence: ({ merchant }) => `Su pedido de ${merchant} ha sido entregado.`,
    },
    disputed: {
      headline: 'Entregado',
      sentence: ({ merchant }) =>
        `Su pedido consta como entregado. Se ha comunicado un problema y se está investigando. Para saber más, contacte con ${merchant}.`,
      step: 'Problema comunicado',
    },
    provider_canceled: {
      headline: 'Entrega cancelada',
      sentence: ({ merchant }) =>
        `La empresa de reparto canceló esta entrega. Contacte con ${merchant} para saber cómo seguir.`,
    },
    customer_canceled: {
      headline: 'Entrega cancelada',
      sentence: ({ merchant }) =>
        `${merchant} canceló esta entrega. Si no lo esperaba, contacte con la tienda.`,
    },
    burq_canceled: {
      headline: 'Entrega cancelada',
      sentence: ({ merchant }) =>
        `El servicio de entregas canceló esta entrega. Contacte con ${merchant} para saber cómo seguir.`,
    },
    failed: {
      headline: 'No se pudo entregar',
      sentence: ({ merchant }) =>
        `No se pudo entregar su pedido. Contacte con ${merchant} para saber cómo seguir.`,
    },
    enroute_to_return: {
      headline: 'De vuelta a la tienda',
      sentence: ({ merchant }) =>
        `No se pudo entregar su pedido y va de vuelta a ${merchant}. Contacte con la tienda para acordar otra entrega.`,
      step: 'No se pudo entregar en mano',
    },
    returned: {
      headline: 'Devuelto a la tienda',
      sentence: ({ merchant }) =>
        `No se pudo entregar su pedido y está de nuevo en ${merchant}. Contacte con la tienda para acordar otra entrega.`,
    },
  },
  in_building: {
    headline: 'Su repartidor está en su edificio',
    sentence: ({ courier }) =>
      `${courier} trae allí también pedidos para otras personas. Llegará a su puerta por turno.`,
    step: 'Repartidor en el edificio',
  },
  food: {
    enroute_to_return: {
      headline: 'De vuelta a la cocina',
      sentence: ({ merchant }) =>
        `No se pudo entregar su pedido y va de vuelta a la cocina. Llame a ${merchant} para pedir otro.`,
      step: 'No se pudo entregar en mano',
    },
    returned: {
      headline: 'De nuevo en la cocina',
      sentence: ({ merchant }) =>
        `No se pudo entregar su pedido y está de nuevo en la cocina. Llame a ${merchant} para pedir otro.`,
    },
  },
  tracking: 'Seguimiento de la entrega',
  preview_title: (merchant) => `Su pedido de ${merchant}`,
  preview: 'Dónde está su pedido y cuándo llega.',
  test: 'Entrega de prueba',
  sender: 'el remitente',
  courier: 'Su repartidor',
  your_courier: 'Su repartidor',
  delivered_by: 'Entregado por',
  no_name: 'Nombre no indicado',
  vehicles: new Map([
    ['bicycle', 'Bicicleta'],
    ['car', 'Automóvil'],
    ['suv', 'SUV'],
    ['pickup truck', 'Camioneta'],
    ['cargo van', 'Furgoneta'],
    ['box truck', 'Camión'],
  ]),
  delivered_at: 'Entregado',
  until: 'a',
  expected_at: 'Llegada estimada',
  was_expected_at: 'Se esperaba',
  late: 'Con retraso',
  overdue: (hours) => `Más de ${hours === 1 ? 'una hora' : `${hours} horas`} de retraso`,
  overdue_hint: (merchant) => `No hay una hora nueva. Pregunte a ${merchant} dónde está su pedido.`,
  in_minutes: (minutes) => `en unos ${minutes} min`,
  in_hours: (hours, minutes) => `en unas ${hours} h${minutes === 0 ? '' : ` ${minutes} min`}`,
  miles: (distance) => `${distance} millas`,
  one_mile: '1 milla',
  under_a_tenth: 'menos de 0.1 millas',
  away: (distance) => `a ${distance}`,
  proofs: { photo: 'Foto tomada', signature: 'Firma recogida', pin: 'PIN confirmado' },
  at: ': ',
  show_picture: { photo: 'Ver la foto', signature: 'Ver la firma' },
  picture: { photo: 'Foto de la entrega', signature: 'Firma' },
  pin: 'Su PIN',
  pin_hint: 'Dígaselo al repartidor cuando reciba su pedido.',
  call_courier: 'Llamar al repartidor',
  call_shop: (merchant) => `Llamar a ${merchant}`,
  your_order: 'Su pedido',
  reference: 'Número de pedido',
  notes: 'Indicaciones para el repartidor',
  notes_hint: (isOwnDriver) =>
    `Por ejemplo, el piso, el código de la puerta o un lugar seguro. Puede cambiarlas hasta la ${isOwnDriver ? 'entrega' : 'recogida'}.`,
  save: 'Guardar',
  saved: 'Guardado.',
  not_saved: 'No se guardó. Inténtelo de nuevo.',
  too_late: 'No se guardó: ya es tarde para cambiarlas.',
  too_often: 'No se guardó: demasiados cambios. Espere unos minutos.',
  needs_script: 'Para cambiar las indicaciones, active JavaScript o contacte con la tienda.',
  timeline: 'Cronología',
  earlier: (count) => (count === 1 ? '1 paso anterior' : `${count} pasos anteriores`),
  about: 'aprox.',
  still_to_come: 'pendiente',
  you: 'Usted',
  map_title: (merchant) => `Mapa de la ruta desde ${merchant} hasta usted`,
  no_location: 'Este repartidor no comparte su ubicación.',
  updated_at: 'Actualizado a las',
  times_are_in: 'Zona horaria:',
  stale: 'No se pueden cargar las novedades ahora. Se reintenta automáticamente.',
  reloads: 'Esta página se recarga sola.',
  invalid_link: 'Este enlace de seguimiento no es válido',
  invalid_link_hint: 'Compruebe que copió el enlace completo o pida uno nuevo a la tienda.',
};

/** The texts of the page, for people who track a delivery. */
export const textsByLanguage: Readonly<Record<Language, Texts>> = { en: english, es: spanish };

/** Formats times for a page, in one time zone and relative to one time. */
export interface Moments {
  /**
   * `2:41 PM`; or with the day, `Tue, Mar 3, 2:41 PM`, if that is not today. The script may convert it to another
   * zone.
   */
  time(at: number): Markup;
  /** An expected time: `12:50 PM to 1:05 PM` if it rests on places that are known coarsely. */
  expected(at: number, precision: CoarsePrecision | null): Markup;
}

const clock = { hour: 'numeric', minute: '2-digit' } as const;
const day = { weekday: 'short', month: 'short', day: 'numeric' } as const;

export function momentsIn(
  zone: string,
  now: number,
  { locale, until }: Pick<Texts, 'locale' | 'until'>,
): Moments {
  const times = new Intl.DateTimeFormat(locale, { timeZone: zone, ...clock });
  const days = new Intl.DateTimeFormat(locale, { timeZone: zone, ...day });
  const years = new Intl.DateTimeFormat(locale, { timeZone: zone, ...day, year: 'numeric' });
  const today = years.format(now);
  const dayOf = (at: number) => (years.format(at) === today ? '' : `${unbroken(days.format(at))}, `);
  const written = (at: number) => dayOf(at) + unbroken(times.format(at));
  const time = (at: number) => html`<time datetime="${instant(at)}">${written(at)}</time>`;
  const expected = (at: number, precision: CoarsePrecision | null) => {
    if (precision === null) return time(at);
    const { from, to } = etaWindow(at);
    return html`${time(from)} ${until} ${time(to)}`;
  };
  return { time, expected };
}

/** Uses non-breaking spaces: a time may only break between day and hour. */
function unbroken(text: string): string {
  return text.replace(/\s/g, '\u00a0');
}

/** Beyond this, the time is more useful than the minutes. */
const far_minutes = 12 * 60;

/** How long until a time, in words; null if it is past or far off. */
export function timeLeft(
  at: number,
  now: number,
  { in_minutes, in_hours }: Pick<Texts, 'in_minutes' | 'in_hours'>,
): string | null {
  const minutes = Math.ceil((at - now) / minute_ms);
  if (minutes <= 0 || minutes > far_minutes) return null;
  if (minutes < 60) return in_minutes(minutes);
  return in_hours(Math.floor(minutes / 60), minutes % 60);
}

/** `1.4 miles`, as the crow flies. */
export function milesText(
  distance: number,
  texts: Pick<Texts, 'miles' | 'one_mile' | 'under_a_tenth'>,
): string {
  if (distance < 0.1) return texts.under_a_tenth;
  const shown = distance < 9.95 ? distance.toFixed(1) : String(Math.round(distance));
  return shown === '1.0' ? texts.one_mile : texts.miles(shown.replace(/\.0$/, ''));
}
