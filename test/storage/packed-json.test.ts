import { expect, test } from 'vitest';
import { packJson, unpackJson } from '../../src/storage/packed-json.ts';

const record = {
  id: 'dlv_1',
  note: 'Zoë “rings” twice 🚲',
  lone: '\ud83d',
  list: [1, null, true],
  empty: '',
};

test('packed JSON is read as it was, and rows of before as they are', () => {
  for (const json of [JSON.stringify(record), '{}', JSON.stringify({ long: 'x'.repeat(300_000) })]) {
    expect(unpackJson(packJson(json))).toBe(json);
    expect(unpackJson(json)).toBe(json);
  }
});

test('what was packed with the first dictionary stays readable', () => {
  // Stored by the first version that packs: if this fails, the dictionary has changed, and stored events are lost.
  expect(JSON.parse(unpackJson(stored))).toEqual(record);
});

const stored =
  '1.Q6ruQGUwKL8qWSlF5R9erfCoYU5RZl568aOGuQol5ZnJqQof5s/aBEp3kI5JTGmKhXEKOB0WlyhZRRvqgFMXqKyO1VFKzS0A5UUlpVoA';
