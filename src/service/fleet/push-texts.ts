/** The texts of messages to the phones of drivers. */
import type { StopKind } from '../../contract/vocabulary.ts';
import type { OfferTerms } from '../../domain/driver-plans.ts';
import { miles } from '../../domain/geography.ts';
import { dollars } from '../../domain/money.ts';
import type { Language } from '../http/page-language.ts';
import type { DriverNews } from '../runtime/task-kinds.ts';

interface NewsTexts {
  titles: Readonly<Record<DriverNews['kind'], string>>;
  ways: Readonly<Record<StopKind, string>>;
  terms: (minutes: number, way: string) => string;
  tip: (amount: string) => string;
}

const texts: Readonly<Record<Language, NewsTexts>> = {
  en: {
    titles: { offer: 'New delivery', stop: 'New stop', gone: 'No longer yours' },
    ways: { pickup: 'From', dropoff: 'to', return: 'back to' },
    terms: (minutes, way) => `About ${minutes} min, ${way}`,
    tip: (amount) => `, tip ${amount}`,
  },
  es: {
    titles: { offer: 'Nueva entrega', stop: 'Nueva parada', gone: 'Ya no es suyo' },
    ways: { pickup: 'De', dropoff: 'a', return: 'de vuelta a' },
    terms: (minutes, way) => `Unos ${minutes} min, ${way}`,
    tip: (amount) => `, propina de ${amount}`,
  },
};

/** What an offer takes and brings, in a line. */
export function termsText({ minutes, tenths, tip }: OfferTerms, language: Language): string {
  const { terms, tip: tipText } = texts[language];
  return terms(minutes, miles(tenths)) + (tip === 0 ? '' : tipText(dollars(tip)));
}

/** A message as a phone shows it. */
export function newsText(
  { kind, stops, terms }: DriverNews,
  language: Language,
): { title: string; text: string } {
  const { titles, ways } = texts[language];
  const way = stops.map((stop) => `${ways[stop.kind]} ${stop.address.replace(/, USA$/, '')}`).join(' ');
  return {
    title: titles[kind],
    text: terms === null ? way : `${way}. ${termsText(terms, language)}`,
  };
}
