import { expect, test } from 'vitest';
import { packJson, unpackJson } from '../../src/storage/event-codec.ts';

const record = {
  id: 'dlv_1',
  note: 'Zoë “rings” twice 🚲',
  lone: '\ud83d',
  list: [1, null, true],
  empty: '',
};

test('packed JSON is read as it was', () => {
  for (const json of [JSON.stringify(record), '{}', JSON.stringify({ long: 'x'.repeat(300_000) })]) {
    expect(unpackJson(packJson(json))).toBe(json);
  }
});

test('what was packed with the first dictionary stays readable', () => {
  // If this fails, the dictionary has changed, and stored events are lost.
  expect(JSON.parse(unpackJson(stored))).toEqual(record);
});

const stored = Buffer.from(
  'Q6ruQGUwKL8qWSlF5R9erfCoYU5RZl568aOGuQol5ZnJqQof5s/aBEp3+XkgRTGlKRbGKeB0WFyiZBVtqANOXaCyOlZHKTW3AJQXlZRqAQ==',
  'base64',
);
