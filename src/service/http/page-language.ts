/** Chooses the language in which a page is shown. */
export const languages = ['en', 'es'] as const;
export type Language = (typeof languages)[number];

/** The language of a page: the chosen one, otherwise the preferred one of `Accept-Language` (RFC 9110, 12.5.4). */
export function chooseLanguage(chosen: string | undefined, accepted: string | null): Language {
  return supported(chosen ?? '') ?? preferred(accepted ?? '') ?? 'en';
}

/** The language of a tag such as `es-MX`; null if pages do not have it. */
function supported(tag: string): Language | null {
  const [primary] = tag.trim().toLowerCase().split('-');
  return languages.find((language) => language === primary) ?? null;
}

/** The best language of a header such as `fr, es;q=0.8, en;q=0.5`. */
function preferred(accepted: string): Language | null {
  const ranges = accepted.split(',').map((range) => {
    const [tag = '', ...parameters] = range.split(';');
    const quality = parameters.map((each) => /^\s*q=([\d.]+)\s*$/i.exec(each)?.[1]).find(Boolean);
    return { language: supported(tag), quality: Number(quality ?? 1) };
  });
  const [best] = ranges
    .filter(({ language, quality }) => language !== null && quality > 0)
    .sort((one, other) => other.quality - one.quality);
  return best?.language ?? null;
}
