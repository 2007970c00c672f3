import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { plain } from '../../src/build/plain-exports.ts';

const given = (name: string, own = name) => `Object.defineProperty(exports, "${name}", {
  enumerable: true,
  get: function () {
    return ${own};
  }
});`;

test.each([
  ['function f() { return 1; }', 'f'],
  ['async function f() {}', 'f'],
  ['async function* f() {}', 'f'],
  ['const f = 1;', 'f'],
  ['const f$1 = () => f$1 === 2 || f$1 >= 3;', 'f$1'],
  ['var f = class {};', 'f'],
  ['class f {}', 'f'],
  ['let f = 1; function g() { let f = 2; f = 3; }', 'f'],
  ['let f = 1; const o = { f: 2 }; o.f = 3; const xf = 1;', 'f'],
])('%s is given as it is', (code, name) => {
  const exports = {};
  const text = plain(`${code}\n${given('a', name)}`);
  runInNewContext(text, { exports });
  expect(Object.getOwnPropertyDescriptor(exports, 'a')).toMatchObject({
    value: expect.anything(),
    enumerable: true,
  });
});

test.each([
  ['let f = 1; function g() { f = 2; }', 'f'],
  ['let f = 1; function g() { f++; }', 'f'],
  ['let f = 1; function g() { f ??= 2; }', 'f'],
  ['let f = 1; function g() { --f; }', 'f'],
  ['let f = 1; function g() { [f] = [2]; }', 'f'],
  ['let f = 1; function g() { ({ a: f = 2 } = {}); }', 'f'],
  ['let f = 1; function g() { for (f of [2]); }', 'f'],
  ['var f; function init() { f = 1; }', 'f'],
  ['const x = 1;', 'x$made()'],
])('%s may yet stand for something else, and is asked for each time', (code, name) => {
  const whole = `${code}\n${given('a', name)}`;
  expect(plain(whole)).toBe(whole);
});
