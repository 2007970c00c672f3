import { max_wrong_pins } from '../../domain/order-rules.ts';

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
  needs_signature: {
    en: 'This order needs a signature. Let the recipient sign, or say why there is none.',
    es: 'Este pedido necesita una firma. Pida que firme o diga por qué no hay.',
  },
} as const satisfies Record<string, TapText>;

/** Says that a PIN is wrong, and how many tries are left. */
export function wrongPinText(left: number): TapText {
  return {
    en: `The PIN is wrong. Ask the recipient again. ${left === 1 ? '1 try is' : `${left} tries are`} left.`,
    es: `El PIN no es correcto. Pregunte otra vez al destinatario. Intentos que quedan: ${left}.`,
  };
}
