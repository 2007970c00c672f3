import type { Texts } from './page-texts.ts';

export const spanish: Texts = {
  language: 'Español',
  locale: 'es-US',
  statuses: {
    request: {
      headline: 'Pedido recibido',
      sentence: ({ merchant }) => `${merchant} tiene su pedido y solicitará un repartidor.`,
      step: 'Pedido recibido',
    },
    delivery_created: {
      headline: 'Buscando un repartidor',
      sentence: ({ merchant }) => `Buscamos un repartidor que recoja su pedido en ${merchant}.`,
      step: 'Pedido confirmado',
    },
    scheduled: {
      headline: 'Entrega programada',
      sentence: ({ merchant }) => `Un repartidor recogerá su pedido en ${merchant} a la hora programada.`,
      step: 'Entrega programada',
    },
    driver_assigned: {
      headline: 'Repartidor asignado',
      sentence: ({ merchant, courier }) => `${courier} recogerá su pedido en ${merchant}.`,
      step: 'Repartidor asignado',
    },
    enroute_pickup: {
      headline: 'Repartidor en camino a recoger',
      sentence: ({ merchant, courier }) => `${courier} va a ${merchant} a recoger su pedido.`,
      step: 'Repartidor en camino a recoger',
    },
    arrived_at_pickup: {
      headline: 'Repartidor en el punto de recogida',
      sentence: ({ merchant, courier }) => `${courier} está en ${merchant} recogiendo su pedido.`,
      step: 'Repartidor en el punto de recogida',
    },
    pickup_complete: {
      headline: 'Pedido recogido',
      sentence: ({ courier }) => `${courier} tiene su pedido. Puede haber otras paradas antes de la suya.`,
      step: 'Pedido recogido',
    },
    enroute_dropoff: {
      headline: 'En camino hacia usted',
      sentence: ({ courier }) => `${courier} le está llevando su pedido.`,
      step: 'En camino hacia usted',
    },
    arrived_at_dropoff: {
      headline: 'Su repartidor ha llegado',
      sentence: ({ courier }) => `${courier} ha llegado con su pedido.`,
      step: 'Repartidor en su puerta',
    },
    dropoff_complete: {
      headline: 'Pedido en sus manos',
      sentence: () => 'Su pedido ha sido entregado en mano. El repartidor está terminando la entrega.',
      step: 'Entregado en mano',
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
      step: 'Entregado',
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
      step: 'Entrega cancelada',
    },
    customer_canceled: {
      headline: 'Entrega cancelada',
      sentence: ({ merchant }) =>
        `${merchant} canceló esta entrega. Si no lo esperaba, contacte con la tienda.`,
      step: 'Entrega cancelada',
    },
    burq_canceled: {
      headline: 'Entrega cancelada',
      sentence: ({ merchant }) =>
        `El servicio de entregas canceló esta entrega. Contacte con ${merchant} para saber cómo seguir.`,
      step: 'Entrega cancelada',
    },
    failed: {
      headline: 'No se pudo entregar',
      sentence: ({ merchant }) =>
        `No se pudo entregar su pedido. Contacte con ${merchant} para saber cómo seguir.`,
      step: 'No se pudo entregar',
    },
    enroute_to_return: {
      headline: 'De vuelta al remitente',
      sentence: ({ merchant }) =>
        `No se pudo entregar su pedido y va de vuelta a ${merchant}. Contacte con la tienda para acordar otra entrega.`,
      step: 'No se pudo entregar en mano',
    },
    returned: {
      headline: 'Devuelto al remitente',
      sentence: ({ merchant }) =>
        `No se pudo entregar su pedido y está de nuevo en ${merchant}. Contacte con la tienda para acordar otra entrega.`,
      step: 'Devuelto al remitente',
    },
  },
  tracking: 'Seguimiento de la entrega',
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
  expected_at: 'Llegada estimada',
  was_expected_at: 'Se esperaba',
  late: 'Con retraso',
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
  notes_hint:
    'Por ejemplo, el piso, el código de la puerta o un lugar seguro. Puede cambiarlas hasta la recogida.',
  save: 'Guardar',
  saved: 'Guardado.',
  not_saved: 'No se guardó. Inténtelo de nuevo.',
  too_late: 'No se guardó: el repartidor ya recogió su pedido.',
  too_often: 'No se guardó: demasiados cambios. Espere unos minutos.',
  needs_script: 'Para cambiar las indicaciones, active JavaScript o contacte con la tienda.',
  timeline: 'Cronología',
  about: 'aprox.',
  still_to_come: 'pendiente',
  you: 'Usted',
  map_title: (merchant) => `Mapa de la ruta desde ${merchant} hasta usted`,
  map_same_area: (merchant) => `${merchant} está en su zona.`,
  map_distance: (merchant, distance) => `${merchant} está a ${distance} de usted.`,
  map_courier: (distance) => `El repartidor está a ${distance} de usted.`,
  no_location: 'Este repartidor no comparte su ubicación.',
  not_to_scale: 'Mapa sin escala.',
  updated_at: 'Actualizado a las',
  times_are_in: 'Zona horaria:',
  stale: 'No se pueden cargar las novedades ahora. Se reintenta automáticamente.',
  reloads: 'Esta página se recarga sola.',
  invalid_link: 'Este enlace de seguimiento no es válido',
  invalid_link_hint: 'Compruebe que copió el enlace completo o pida uno nuevo a la tienda.',
};
