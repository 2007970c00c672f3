import { expect, test } from 'vitest';
import { withoutMarkup, withPlainDigits } from '../../src/domain/plain-text.ts';

test.each([
  ['Soup', 'Soup'],
  ['O&#039;Neil', "O'Neil"],
  ['O&#x27;Neil', "O'Neil"],
  ['Fish &amp; Chips', 'Fish & Chips'],
  ['Fish &amp;amp; Chips', 'Fish & Chips'],
  ['Soup &#8211; Large', 'Soup – Large'],
  ['Joe&#146;s &#x96; 5&#128; &#129;&#127;', 'Joe’s – 5€ &#129;&#127;'],
  ['Cr&egrave;me br&ucirc;l&eacute;e', 'Crème brûlée'],
  ['24&quot; pizza', '24" pizza'],
  ['Ring twice<br>Gate 5', 'Ring twice\nGate 5'],
  ['Ring twice<br />Gate 5', 'Ring twice\nGate 5'],
  ['<b>Fragile</b>, <a href="x">see</a>', 'Fragile, see'],
  ['I <3 soup, 1 < 2 > 0', 'I <3 soup, 1 < 2 > 0'],
  ['So\u200bup\u200e\ufeff', 'Soup'],
  ['Ann\u00a0Roe', 'Ann Roe'],
  ['AT&T; R&D', 'AT&T; R&D'],
  ['&unknown; &#0; &#xD800;', '&unknown; &#0; &#xD800;'],
  ['&#31;&#32;&#x10FFFF;&#x110000;', '&#31; \u{10ffff}&#x110000;'],
  ['&#xD7FF;&#xD800;&#xDFFF;&#xE000;', '\ud7ff&#xD800;&#xDFFF;\ue000'],
  ['a&#9;b&#10;c&#13;d&#11;', 'a\nb\nc\nd&#11;'],
  // Joined emoji stay one.
  ['👩\u200d🍳 soup ❤\ufe0f', '👩\u200d🍳 soup ❤\ufe0f'],
])('%j is read as %j', (text, plain) => {
  expect(withoutMarkup(text)).toBe(plain);
});

test.each(['٠٩', '۰۹', '०९', '০৯', '０９'])('%s has the digits 0 and 9', (text) => {
  expect(withPlainDigits(text)).toBe('09');
});

test('digits of scripts that are not known are kept', () => {
  expect(withPlainDigits('߀ ༣')).toBe('߀ ༣');
});
