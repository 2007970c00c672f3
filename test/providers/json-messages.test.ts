import { describe, expect, it } from 'vitest';
import {
  amountAt,
  listAt,
  numberAt,
  parseFields,
  positionAt,
  textAt,
  timeAt,
  toFields,
} from '../../src/providers/json-messages.ts';

describe('the fields of a courier’s JSON', () => {
  const fields = parseFields(
    '{"text":"a","empty":"","count":2.5,"fee":975,"negative":-1,"at":"2026-11-22T10:00:00Z","list":[1],"nothing":null}',
  );

  it('reads what has the expected type', () => {
    expect(textAt(fields, 'text')).toBe('a');
    expect(numberAt(fields, 'count')).toBe(2.5);
    expect(amountAt(fields, 'fee')).toBe(975);
    expect(timeAt(fields, 'at')).toBe(Date.UTC(2026, 10, 22, 10));
    expect(listAt(fields, 'list')).toEqual([1]);
  });

  it('reads everything else as absent', () => {
    for (const name of ['absent', 'nothing', 'list']) {
      expect(textAt(fields, name)).toBeNull();
      expect(numberAt(fields, name)).toBeNull();
      expect(timeAt(fields, name)).toBeNull();
    }
    expect(textAt(fields, 'empty')).toBeNull();
    expect(timeAt(fields, 'text')).toBeNull();
    expect(listAt(fields, 'text')).toEqual([]);
  });

  it('reads texts and names without NUL, which PostgreSQL does not store', () => {
    const text = String.raw`{"text":"a\u0000b","na\u0000me":"c:\\u0000\n","nul":"\u0000"}`;
    const read = parseFields(text);
    expect(read).toEqual({ text: 'ab', name: 'c:\\u0000\n', nul: '' });
    expect(textAt(read, 'nul')).toBeNull();
  });

  it('takes only whole amounts from zero', () => {
    expect(amountAt(fields, 'count')).toBeNull();
    expect(amountAt(fields, 'negative')).toBeNull();
  });

  it('takes only positions on the globe', () => {
    expect(positionAt({ at: { lat: 41.9, lng: -87.6 } }, 'at')).toEqual({ lat: 41.9, lng: -87.6 });
    expect(positionAt({ at: { lat: 123.1, lng: -87.6 } }, 'at')).toBeNull();
    expect(positionAt({ at: { lat: 41.9 } }, 'at')).toBeNull();
  });

  it('reads a text that is no JSON object as empty', () => {
    expect(parseFields('\uFEFF{"a":1}')).toEqual({ a: 1 });
    for (const text of ['', '<html>', '[1]', 'null', '"a"']) expect(parseFields(text)).toEqual({});
    expect(toFields([1])).toEqual({});
  });
});
