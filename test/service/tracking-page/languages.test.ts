import { expect, test } from 'vitest';
import { deliveryStatuses } from '../../../src/contract/vocabulary.ts';
import { chooseLanguage } from '../../../src/service/http/page-language.ts';
import { missingPage, renderPage } from '../../../src/service/tracking-page/page.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { startFixture } from '../fixture.ts';
import { rowIn, seenAt, soonAfter } from './rows.ts';

const read = (page: string) =>
  page
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

test.each([
  [undefined, null, 'en'],
  [undefined, 'es', 'es'],
  [undefined, 'es-MX,es;q=0.9,en;q=0.8', 'es'],
  [undefined, 'en-US,en;q=0.9,es;q=0.8', 'en'],
  [undefined, 'es;q=0.5, EN;q=0.7', 'en'],
  [undefined, 'fr-FR, de;q=0.9, es;q=0.1', 'es'],
  [undefined, 'es;q=0, *;q=0.5', 'en'],
  [undefined, 'fr', 'en'],
  [undefined, ';;,=,', 'en'],
  ['es', 'en-US', 'es'],
  ['en', 'es', 'en'],
  ['ES-mx', 'en', 'es'],
  ['fr', 'es', 'es'],
  ['constructor', null, 'en'],
] as const)('?lang=%s and Accept-Language %s: %s', (chosen, accepted, language) => {
  expect(chooseLanguage(chosen, accepted)).toBe(language);
});

test.each(deliveryStatuses)('%s: the Spanish page has no English text of its own', (status) => {
  const row = rowIn(status);
  const pageIn = (language: 'en' | 'es') => renderPage(row, seenAt(soonAfter(row), { language }));
  const [english, spanish] = [read(pageIn('en')), read(pageIn('es'))];
  expect(pageIn('es')).toContain('<html lang="es">');
  expect(spanish).not.toMatch(
    /\b(the|your|order|courier|deliver\w*|pickup|about|away|updated|times|map|miles?|time|at)\b/i,
  );
  expect(english).not.toMatch(/\b(su|pedido|repartidor|entrega\w*|hacia|actualizado|mapa|millas?)\b/i);
});

test('each page links to the other language', () => {
  const row = rowIn('delivered');
  const pageIn = (language: 'en' | 'es') => renderPage(row, seenAt(soonAfter(row), { language }));
  expect(pageIn('en')).toContain('<a href="?lang=es" lang="es" hreflang="es">Español</a>');
  expect(pageIn('es')).toContain('<a href="?lang=en" lang="en" hreflang="en">English</a>');
  expect(missingPage('es')).toContain('<h1>Este enlace de seguimiento no es válido</h1>');
});

test('the service reads the language from the header and the URL', async () => {
  const { service, client } = await startFixture();
  const { tracking_url } = await startedDelivery(client(), 'happy_path');
  const path = new URL(tracking_url).pathname;
  const headlineAt = async (query: string, accepted: string) => {
    const headers = { 'accept-language': accepted, accept: 'text/html' };
    const { body } = await service.fetch({ method: 'GET', path: path + query, headers, body: '' });
    return /<h1>(.*?)<\/h1>/.exec(body)?.[1];
  };
  expect(await headlineAt('', 'es-US')).toBe('Buscando un repartidor');
  expect(await headlineAt('?lang=en', 'es-US')).toBe('Looking for a courier');
  expect(await headlineAt('?utm_source=sms&lang=es', 'en')).toBe('Buscando un repartidor');
  expect(await headlineAt('x', 'es')).toBe('Este enlace de seguimiento no es válido');
});
