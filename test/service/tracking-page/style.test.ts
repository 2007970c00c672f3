import { describe, expect, test } from 'vitest';
import { palettes } from '../../../src/service/pages/markup.ts';
import { style } from '../../../src/service/tracking-page/page.ts';

/** Relative luminance of `#rrggbb` (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

describe.each(Object.entries(palettes))('the %s scheme', (_, palette) => {
  test.each([
    ['ink', 'card'],
    ['ink', 'paper'],
    ['ink', 'land'],
    ['soft', 'land'],
    ['soft', 'card'],
    ['soft', 'paper'],
    ['bad', 'card'],
    ['late', 'card'],
    ['onaccent', 'accent'],
  ] as const)('text in %s on %s has enough contrast (WCAG AA)', (text, ground) => {
    expect(contrast(palette[text], palette[ground])).toBeGreaterThanOrEqual(4.5);
  });

  test.each(['card', 'land'] as const)('marks in the accent stand out from %s', (ground) => {
    expect(contrast(palette.accent, palette[ground])).toBeGreaterThanOrEqual(3);
  });
});

test('nothing moves on the page', () => {
  expect(style).not.toMatch(/animation:|transition:/);
});
