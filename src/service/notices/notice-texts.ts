import type { Notices } from '../../contract/accounts.ts';
import type { NoticeKind } from '../runtime/account-settings.ts';

/** A message before its placeholders are replaced. */
interface NoticeTemplate {
  subject: string;
  text: string;
}

type Templates = Readonly<Record<NoticeKind, NoticeTemplate>>;

const english: Templates = {
  dispatched: {
    subject: 'Your order from {shop} is on its way to a courier',
    text: 'Hello {name},\n\nyour order {reference} from {shop} will be delivered. Estimated arrival: {eta}.\n\nFollow it here: {link}\n',
  },
  close_by: {
    subject: 'Your order from {shop} is close by',
    text: 'Hello {name},\n\nyour order {reference} from {shop} arrives soon. Estimated arrival: {eta}.\n\nFollow it here: {link}\n',
  },
  delivered: {
    subject: 'Your order from {shop} has been delivered',
    text: 'Hello {name},\n\nyour order {reference} from {shop} has been delivered.\n\nThe details: {link}\n',
  },
  failed: {
    subject: 'Your order from {shop} could not be delivered',
    text: 'Hello {name},\n\nyour order {reference} from {shop} could not be delivered. Please contact {shop} about the next steps.\n\nThe details: {link}\n',
  },
};

const spanish: Templates = {
  dispatched: {
    subject: 'Su pedido de {shop} está en camino a un repartidor',
    text: 'Hola, {name}:\n\nsu pedido {reference} de {shop} se va a entregar. Llegada estimada: {eta}.\n\nSígalo aquí: {link}\n',
  },
  close_by: {
    subject: 'Su pedido de {shop} está cerca',
    text: 'Hola, {name}:\n\nsu pedido {reference} de {shop} llega pronto. Llegada estimada: {eta}.\n\nSígalo aquí: {link}\n',
  },
  delivered: {
    subject: 'Su pedido de {shop} ha sido entregado',
    text: 'Hola, {name}:\n\nsu pedido {reference} de {shop} ha sido entregado.\n\nLos detalles: {link}\n',
  },
  failed: {
    subject: 'No se pudo entregar su pedido de {shop}',
    text: 'Hola, {name}:\n\nno se pudo entregar su pedido {reference} de {shop}. Contacte con {shop} para saber cómo seguir.\n\nLos detalles: {link}\n',
  },
};

const templates = { en: english, es: spanish };

/** The texts of a notice: the shop's own, otherwise those of its language. */
export function templateOf({ language, templates: own }: Notices, kind: NoticeKind): NoticeTemplate {
  return { ...templates[language][kind], ...own?.[kind] };
}

/** The values of the placeholders of a template. */
type Placeholders = Readonly<Record<'name' | 'shop' | 'reference' | 'eta' | 'link', string>>;

/**
 * Replaces `{name}`, `{shop}`, `{reference}`, `{eta}` and `{link}`; other braces stay. Of an empty value, the space
 * before it is removed too.
 */
export function filledTemplate(template: string, values: Placeholders): string {
  return template.replace(/ ?\{(name|shop|reference|eta|link)\}/g, (found, name: keyof Placeholders) =>
    values[name] === '' ? '' : `${found.startsWith(' ') ? ' ' : ''}${values[name]}`,
  );
}

const locales = { en: 'en-US', es: 'es-US' } as const;

/** `2:41 PM CST`, or with the day if that is not today. */
export function timeText(
  at: number,
  now: number,
  { zone, language }: { zone: string; language: Notices['language'] },
): string {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locales[language], { timeZone: zone, ...options });
  const day = format({ weekday: 'short', month: 'short', day: 'numeric' });
  const time = format({ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }).format(at);
  return day.format(at) === day.format(now) ? time : `${day.format(at)}, ${time}`;
}
