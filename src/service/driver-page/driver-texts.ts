import type { handoverFailures } from '../../contract/vocabulary.ts';
import type { PlannedStop } from '../../domain/driver-plans.ts';
import type { Language } from '../http/page-language.ts';

type HandoverFailure = (typeof handoverFailures)[number];

/** Every text of the driver's page in one language. */
export interface DriverTexts {
  /** Of the page as the service makes it. */
  page: PageTexts;
  /** Of its script; `{name}` and its like are filled in. */
  script: Readonly<Record<keyof typeof englishScript, string>>;
}

interface PageTexts {
  title: (name: string) => string;
  test: string;
  duty: { on: string; off: string };
  stops: (count: number) => string;
  headings: Readonly<Record<PlannedStop['kind'], string>>;
  recipients: (count: number) => string;
  new_deliveries: (count: number) => string;
  answer_by: string;
  then_next: string;
  accept: string;
  decline: string;
  when_the_rest_is_done: string;
  expected: string;
  agreed_for: string;
  unit: string;
  notes: string;
  map: string;
  map_to: (place: string) => string;
  call: string;
  call_name: (name: string) => string;
  text: string;
  text_name: (name: string) => string;
  /** The message to a recipient. */
  on_my_way: (names: { driver: string; shop: string; link: string }) => string;
  pick_it_up_first: string;
  delivered: string;
  could_not_deliver: string;
  could_not_pick_up: string;
  locked: (tries: number) => string;
  start: string;
  i_am_there: string;
  picked_up: string;
  picked_up_orders: (count: number) => string;
  returned: string;
  parcel: string;
  choose: (name: string) => string;
  delivered_all: string;
  nothing_to_do: string;
  off_duty: string;
  /** After the number of them. */
  delivered_today: (count: number) => string;
  settings: string;
  map_opens: string;
  needs_script: string;
  blocked: string;
  apple: string;
  mute: string;
  sound: string;
  install: string;
  proof: string;
  pin: string;
  photo: string;
  take_photo: string;
  no_photo: string;
  no_photo_reasons: readonly string[];
  signed_by: string;
  signature: string;
  clear: string;
  use_name: string;
  cancel: string;
  go_off_duty: string;
  leave_hint: string;
  stay: string;
  unsent: string;
  reach: string;
  say_what: string;
  note: string;
  reasons: Readonly<Record<HandoverFailure, string>>;
  invalid_link: string;
  invalid_link_hint: string;
  suspended: string;
  suspended_hint: string;
}

const englishScript = {
  one_stop: '1 stop',
  stops: '{count} stops',
  picked_up_one: 'Picked up 1 order',
  picked_up: 'Picked up {count} orders',
  delivered_ticked: 'Delivered to {count} recipients',
  duty_on: 'Go on duty',
  duty_off: 'Go off duty',
  leave_with: 'Go off duty with {stops} left?',
  bring_back: 'Bring back: {place}',
  returned: 'Returned: {place}',
  could_not_pick_up: 'Could not pick up',
  could_not_deliver: 'Could not deliver to {name}',
  then_fails: 'The order fails, and your shop is told.',
  report: 'Report',
  then_leave: '2. Leave it at the door, and take a photo of it there.',
  leave: 'Leave at the door',
  then_back: '3. Bring it back to {shop}. That becomes your last stop.',
  bring_it_back: 'Bring it back',
  arrived_one: 'You arrived 1 minute ago.',
  arrived: 'You arrived {count} minutes ago.',
  call: 'Call {name}',
  leave_for: 'Leave it at the door for {name}',
  deliver_to: 'Deliver to {name}',
  left_at_door: 'Left at the door',
  delivered: 'Delivered',
  enter_pin: 'Enter the PIN.',
  enter_name: 'Enter the name of the recipient.',
  sign: 'Sign in the field, or use the name.',
  checking: 'Checking the connection.',
  checking_pin: 'Checking the PIN.',
  bad_photo: 'This photo cannot be read. Take another one.',
  bad_photo_or_reason: 'This photo cannot be read. Take another one, or say why there is none.',
  photo_or_reason: 'Take a photo, or say why there is none.',
  photo_for_pin: 'No connection: the PIN cannot be checked now. Take a photo, too.',
  sending: 'Sending.',
  no_connection: 'No connection',
  one_waits: '1 tap waits to be sent.',
  waits: '{count} taps wait to be sent.',
  keep_open: 'Keep this page open.',
  not_sent: 'not sent yet',
  may_be_sent: 'may have been sent',
  undo: 'Undo',
  refused: 'The service refused this.',
  shop_cannot: 'Your shop cannot get your taps now',
  link_ended: 'This link is no longer valid',
  bad_answer: 'The service does not answer as it should ({status})',
  no_longer_yours: 'No longer yours.',
  new_stop: 'New stop.',
  left: '{time} left to answer',
  offer_gone: 'This offer has gone to the next driver.',
  there: 'You are there.',
  updated: 'Updated {time}.',
  seen: 'Your shop saw your position at {time}. It is sent while this page is open.',
  no_place: 'Your shop does not see where you are. Let this page use the location.',
  lost_place: 'Your shop does not see where you are. Turn on the location of the phone.',
};

const english: DriverTexts = {
  page: {
    title: (name) => `Stops of ${name}`,
    test: 'Test',
    duty: { on: 'Go on duty', off: 'Go off duty' },
    stops: (count) => (count === 1 ? '1 stop' : `${count} stops`),
    headings: { pickup: 'Pick up', dropoff: 'Deliver', return: 'Bring back' },
    recipients: (count) => `${count} recipients`,
    new_deliveries: (count) => (count === 1 ? 'New delivery' : `${count} new deliveries`),
    answer_by: 'Answer by',
    then_next: 'then the next driver is asked.',
    accept: 'Accept',
    decline: 'Decline',
    when_the_rest_is_done: 'when the rest is done',
    expected: 'expected',
    agreed_for: 'agreed for',
    unit: 'Unit',
    notes: 'Notes',
    map: 'Map',
    map_to: (place) => `Map to ${place}`,
    call: 'Call',
    call_name: (name) => `Call ${name}`,
    text: 'Text',
    text_name: (name) => `Text ${name}`,
    on_my_way: ({ driver, shop, link }) =>
      `This is ${driver} with your order from ${shop}. Follow it here: ${link}`,
    pick_it_up_first: 'Pick it up first.',
    delivered: 'Delivered',
    could_not_deliver: 'Could not deliver',
    could_not_pick_up: 'Could not pick up',
    locked: (tries) => `Locked after ${tries} wrong PINs. Only your shop can lift it.`,
    start: 'Start',
    i_am_there: 'I am there',
    picked_up: 'Picked up',
    picked_up_orders: (count) => `Picked up ${count} orders`,
    returned: 'Returned',
    parcel: 'Parcel',
    choose: (name) => `Choose ${name}`,
    delivered_all: 'Delivered to all that are ticked',
    nothing_to_do: 'Nothing to do right now. New deliveries appear here.',
    off_duty: 'You are off duty. Go on duty to get deliveries.',
    delivered_today: (count) => (count === 1 ? 'delivery today' : 'deliveries today'),
    settings: 'Settings',
    map_opens: 'Map opens',
    needs_script: 'This page needs JavaScript.',
    blocked:
      "Messages from this page are blocked on this phone: offers are heard only while the page is open. Allow notifications for it in the browser's settings.",
    apple:
      'To hear of offers while the page is closed, choose Share, then Add to Home Screen, and open it from there.',
    mute: 'Mute: tap to hear offers',
    sound: 'Try the sound',
    install: 'Install on this phone',
    proof: 'Proof of delivery',
    pin: 'PIN of the recipient',
    photo: 'Photo',
    take_photo: 'Take a photo',
    no_photo: 'No photo? Say why',
    no_photo_reasons: ['Camera does not work', 'Too dark', 'Recipient said no'],
    signed_by: 'Name of the recipient',
    signature: 'Signature: sign in the field, or use the name.',
    clear: 'Clear',
    use_name: 'Use the name',
    cancel: 'Cancel',
    go_off_duty: 'Go off duty',
    leave_hint:
      'You get no new deliveries. What you have stays with you until your shop gives it to another driver.',
    stay: 'Stay on duty',
    unsent: 'Not sent yet',
    reach: '1. Try to reach the recipient.',
    say_what: '2. Say what happened.',
    note: 'Note',
    reasons: {
      recipient_unreachable: 'Nobody answered',
      recipient_refused: 'The recipient refused it',
      wrong_address: 'Wrong address',
      age_check_failed: 'Age check failed',
      handover_failed: 'Another reason',
    },
    invalid_link: "This link isn't valid",
    invalid_link_hint: 'It may have been replaced. Ask your shop for the new link.',
    suspended: 'This shop is suspended',
    suspended_hint: 'Nothing can be reported here until its account is resumed. Ask your shop.',
  },
  script: englishScript,
};

const spanish: DriverTexts = {
  page: {
    title: (name) => `Paradas de ${name}`,
    test: 'Prueba',
    duty: { on: 'Empezar turno', off: 'Terminar turno' },
    stops: (count) => (count === 1 ? '1 parada' : `${count} paradas`),
    headings: { pickup: 'Recoger', dropoff: 'Entregar', return: 'Devolver' },
    recipients: (count) => `${count} destinatarios`,
    new_deliveries: (count) => (count === 1 ? 'Nueva entrega' : `${count} entregas nuevas`),
    answer_by: 'Responda antes de las',
    then_next: 'después se pregunta al siguiente repartidor.',
    accept: 'Aceptar',
    decline: 'Rechazar',
    when_the_rest_is_done: 'al terminar lo demás',
    expected: 'prevista',
    agreed_for: 'acordada para las',
    unit: 'Piso',
    notes: 'Notas',
    map: 'Mapa',
    map_to: (place) => `Mapa hasta ${place}`,
    call: 'Llamar',
    call_name: (name) => `Llamar a ${name}`,
    text: 'Mensaje',
    text_name: (name) => `Mensaje a ${name}`,
    on_my_way: ({ driver, shop, link }) => `Soy ${driver}, con su pedido de ${shop}. Sígalo aquí: ${link}`,
    pick_it_up_first: 'Primero hay que recogerlo.',
    delivered: 'Entregado',
    could_not_deliver: 'No se pudo entregar',
    could_not_pick_up: 'No se pudo recoger',
    locked: (tries) => `Bloqueado tras ${tries} PIN equivocados. Solo su tienda puede desbloquearlo.`,
    start: 'Salir',
    i_am_there: 'Ya llegué',
    picked_up: 'Recogido',
    picked_up_orders: (count) => `Recogidos ${count} pedidos`,
    returned: 'Devuelto',
    parcel: 'Paquete',
    choose: (name) => `Elegir a ${name}`,
    delivered_all: 'Entregado a todos los marcados',
    nothing_to_do: 'No hay nada que hacer ahora. Las nuevas entregas aparecen aquí.',
    off_duty: 'Está fuera de turno. Empiece el turno para recibir entregas.',
    delivered_today: (count) => (count === 1 ? 'entrega hoy' : 'entregas hoy'),
    settings: 'Ajustes',
    map_opens: 'El mapa abre',
    needs_script: 'Esta página necesita JavaScript.',
    blocked:
      'Los avisos de esta página están bloqueados en este teléfono: las ofertas solo se oyen con la página abierta. Permita las notificaciones en los ajustes del navegador.',
    apple:
      'Para enterarse de las ofertas con la página cerrada, elija Compartir, después Añadir a pantalla de inicio, y ábrala desde allí.',
    mute: 'Sin sonido: toque para oír',
    sound: 'Probar el sonido',
    install: 'Instalar en este teléfono',
    proof: 'Prueba de entrega',
    pin: 'PIN del destinatario',
    photo: 'Foto',
    take_photo: 'Tomar una foto',
    no_photo: '¿Sin foto? Diga por qué',
    no_photo_reasons: ['La cámara no funciona', 'Está muy oscuro', 'El destinatario no quiso'],
    signed_by: 'Nombre del destinatario',
    signature: 'Firma: firme en el recuadro o use el nombre.',
    clear: 'Borrar',
    use_name: 'Usar el nombre',
    cancel: 'Cancelar',
    go_off_duty: 'Terminar turno',
    leave_hint:
      'No recibirá más entregas. Lo que tiene sigue siendo suyo hasta que su tienda se lo dé a otro.',
    stay: 'Seguir en turno',
    unsent: 'Sin enviar',
    reach: '1. Intente hablar con el destinatario.',
    say_what: '2. Diga qué pasó.',
    note: 'Nota',
    reasons: {
      recipient_unreachable: 'Nadie respondió',
      recipient_refused: 'El destinatario no lo quiso',
      wrong_address: 'Dirección equivocada',
      age_check_failed: 'No cumple la edad',
      handover_failed: 'Otro motivo',
    },
    invalid_link: 'Este enlace no es válido',
    invalid_link_hint: 'Quizá fue reemplazado. Pida el nuevo enlace a su tienda.',
    suspended: 'Esta tienda está suspendida',
    suspended_hint: 'No se puede informar nada hasta que su cuenta se reactive. Pregunte a su tienda.',
  },
  script: {
    one_stop: '1 parada',
    stops: '{count} paradas',
    picked_up_one: 'Recogido 1 pedido',
    picked_up: 'Recogidos {count} pedidos',
    delivered_ticked: 'Entregado a {count} destinatarios',
    duty_on: 'Empezar turno',
    duty_off: 'Terminar turno',
    leave_with: '¿Terminar el turno con {stops} pendientes?',
    bring_back: 'Devolver: {place}',
    returned: 'Devuelto: {place}',
    could_not_pick_up: 'No se pudo recoger',
    could_not_deliver: 'No se pudo entregar a {name}',
    then_fails: 'El pedido falla y se avisa a su tienda.',
    report: 'Informar',
    then_leave: '2. Déjelo en la puerta y tómele una foto allí.',
    leave: 'Dejar en la puerta',
    then_back: '3. Devuélvalo a {shop}. Será su última parada.',
    bring_it_back: 'Devolverlo',
    arrived_one: 'Llegó hace 1 minuto.',
    arrived: 'Llegó hace {count} minutos.',
    call: 'Llamar a {name}',
    leave_for: 'Dejar en la puerta para {name}',
    deliver_to: 'Entregar a {name}',
    left_at_door: 'Dejado en la puerta',
    delivered: 'Entregado',
    enter_pin: 'Escriba el PIN.',
    enter_name: 'Escriba el nombre del destinatario.',
    sign: 'Firme en el recuadro o use el nombre.',
    checking: 'Comprobando la conexión.',
    checking_pin: 'Comprobando el PIN.',
    bad_photo: 'No se puede leer esta foto. Tome otra.',
    bad_photo_or_reason: 'No se puede leer esta foto. Tome otra o diga por qué no hay.',
    photo_or_reason: 'Tome una foto o diga por qué no hay.',
    photo_for_pin: 'Sin conexión: ahora no se puede comprobar el PIN. Tome también una foto.',
    sending: 'Enviando.',
    no_connection: 'Sin conexión',
    one_waits: '1 toque espera para enviarse.',
    waits: '{count} toques esperan para enviarse.',
    keep_open: 'Deje esta página abierta.',
    not_sent: 'sin enviar',
    may_be_sent: 'quizá enviado',
    undo: 'Deshacer',
    refused: 'El servicio lo rechazó.',
    shop_cannot: 'Su tienda no puede recibir sus toques ahora',
    link_ended: 'Este enlace ya no es válido',
    bad_answer: 'El servicio no responde como debe ({status})',
    no_longer_yours: 'Ya no es suyo.',
    new_stop: 'Nueva parada.',
    left: 'Quedan {time} para responder',
    offer_gone: 'Esta oferta pasó al siguiente repartidor.',
    there: 'Ya está allí.',
    updated: 'Actualizado a las {time}.',
    seen: 'Su tienda vio dónde estaba a las {time}. La posición se envía mientras esta página está abierta.',
    no_place: 'Su tienda no ve dónde está. Permita la ubicación a esta página.',
    lost_place: 'Su tienda no ve dónde está. Active la ubicación del teléfono.',
  },
};

export const driverTexts: Readonly<Record<Language, DriverTexts>> = { en: english, es: spanish };
