import { expect, test } from 'vitest';
import { isLogo } from '../../../src/service/stores/store-handlers.ts';

test.each([
  'https://shop.example/logo.png',
  'https://shop.example/a b?c=%22#d',
  'data:image/png;base64,iVBORw0KGgo=',
  'data:image/svg+xml;base64,PHN2Zy8+',
])('%s is accepted as a logo', (text) => {
  expect(isLogo(text)).toBe(true);
});

test.each([
  'http://shop.example/logo.png',
  'https://user:secret@shop.example/logo.png',
  `https://shop.example/${'a'.repeat(2000)}`,
  'javascript:alert(1)',
  'data:text/html;base64,PGI+',
  'data:image/png,<svg>',
  'data:image/png;base64,"><script>',
  'data:image/png;base64,',
  'logo.png',
  '//shop.example/logo.png',
])('%s is refused', (text) => {
  expect(isLogo(text)).toBe(false);
});
