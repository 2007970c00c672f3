import { expect, test } from 'vitest';
import { withoutMarkup } from '../../src/domain/plain-text.ts';

test.each([
  ['Soup', 'Soup'],
  ['O&#039;Neil', "O'Neil"],
  ['O&#x27;Neil', "O'Neil"],
  ['Fish &amp; Chips', 'Fish & Chips'],
  ['Fish &amp;amp; Chips', 'Fish & Chips'],
  ['Soup &#8211; Large', 'Soup – Large'],
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
  // Joined emoji stay one.
  ['👩\u200d🍳 soup ❤\ufe0f', '👩\u200d🍳 soup ❤\ufe0f'],
])('%j is read as %j', (text, plain) => {
  expect(withoutMarkup(text)).toBe(plain);
});
