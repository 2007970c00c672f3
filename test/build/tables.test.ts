import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { deferred } from '../../src/build/tables.ts';

const long = Array.from({ length: 12 }, (_, index) => `key_${index}: "text ${index}"`).join(', ');
const table = `const table = { ${long}, own: { deep: [1, 2] }, late: () => table.key_1 };`;

/** What a chunk gives, and what it logged while it was loaded. */
function ran(code: string): { exports: Record<string, () => unknown>; log: unknown[] } {
  const found = { exports: {}, log: [] };
  runInNewContext(`"use strict"; ${code}`, { ...found, require: () => ({ other: 'of another chunk' }) });
  return found;
}

/** The names that are made when they are named. */
function madeLate(code: string): string[] {
  return [...code.matchAll(/function ([\w$]+)\$made\(\)/g)].map(([, name = '']) => name);
}

test('a table that only functions name is made by the first that does, once', () => {
  const code = `${table} function get() { return table; } exports.get = get;`;
  const { exports } = ran(deferred(code));
  expect(madeLate(deferred(code))).toEqual(['table']);
  expect(exports.get?.()).toEqual(expect.objectContaining({ key_3: 'text 3', own: { deep: [1, 2] } }));
  expect(exports.get?.()).toBe(exports.get?.());
});

test('a table of tables, of functions, and of what other chunks have', () => {
  const code = `const require_other = require('./other.cjs');
${table}
const lists = [table, require_other.other, -1, 1 + 1, \`\${require_other.other}!\`, () => lists];
const all = { table, lists, more: [table.own, ...table.own.deep], [table.key_1]: require_other.other, text: "${'x'.repeat(80)}" };
exports.all = () => all;
exports.same = () => all.table === table;`;
  expect(madeLate(deferred(code))).toEqual(['table', 'lists', 'all']);
  const { exports } = ran(deferred(code));
  expect(JSON.stringify(exports.all?.())).toBe(JSON.stringify(ran(code).exports.all?.()));
  expect(exports.same?.()).toBe(true);
});

test('what another chunk is given of a table is asked for when it is asked for', () => {
  const code = `${table} exports.a = table;`;
  const { exports } = ran(deferred(code));
  expect(Object.getOwnPropertyDescriptor(exports, 'a')?.get).toBeTypeOf('function');
  expect(exports.a).toMatchObject({ key_0: 'text 0' });
});

test.each([
  ['is named as the chunk is loaded', `${table} log.push(table.key_1);`],
  ['is made by a call', `const table = { ${long}, at: Date.now() }; exports.get = () => table;`],
  ['has a name that is used anew', `let table = { ${long} }; exports.set = () => (table = null);`],
  [
    'is asked of something that may change',
    `const table = { ${long}, env: globalThis.x }; exports.get = () => table;`,
  ],
  [
    'is made of what is put in later',
    `let later = 1; ${table.replace('own:', 'later, own:')} exports.set = () => { later = 2; };`,
  ],
  [
    'has an arrow that asks where it stands',
    `const table = { ${long}, a: () => this }; exports.get = () => table;`,
  ],
  [
    'has an arrow that asks for arguments',
    `const table = { ${long}, a: () => arguments.length }; exports.get = () => table;`,
  ],
  ['deletes', `const one = { a: 1 }; const table = { ${long}, a: delete one.a }; exports.get = () => table;`],
  ['is named by eval', `${table} exports.get = () => eval("table");`],
  ['has a name beside it that is taken', `${table} const table$made = 1; exports.get = () => table;`],
  [
    'takes from what is declared twice',
    `var later = 1; if (later) { var later = 2; } ${table.replace('own:', 'later, own:')} exports.get = () => table;`,
  ],
  [
    'takes from a counter',
    `for (var later = 0; later < 3; later += 1); ${table.replace('own:', 'later, own:')} exports.get = () => table;`,
  ],
  [
    'takes from a function that is put in anew',
    `function later(later) {} later = 7; ${table.replace('own:', 'later, own:')} exports.get = () => table;`,
  ],
  ['is given by a name that is computed', `${table} exports["a" + 1] = table;`],
  ['is given where nothing is', `${table} exports.a ??= table;`],
  ['is short', 'const table = { a: 1 }; exports.get = () => table;'],
  [
    'belongs to a class',
    `${table} class A extends Object { static all = table; } exports.get = () => A.all;`,
  ],
])('a constant that %s stays where it is', (_, code) => {
  expect(deferred(code)).toBe(code);
});

test.each([
  ['a parameter', '(table) => table'],
  ['a parameter of a pattern', '({ table }) => table', { table: 7 }],
  ['a default that names the table', '({ own = table.own } = {}) => own.deep.length', {}],
  ['a rest', '(...table) => table[0]'],
  ['a variable of a block', '(x) => { { const table = x; if (table) return table; } return table.key_1; }'],
  ['a variable behind a block', '(x) => { if (!x) { let table = x; table = 2; } return table.key_1; }'],
  ['a hoisted variable', '(x) => { if (x) { var table = x; } return table; }'],
  ['a function of its own', '(x) => { return table(); function table() { return x; } }'],
  ['a named function', '(x) => (function table(y) { return y > 9 ? typeof table : table(y + 1); })(x)'],
  ['a variable of a loop', '(x) => { for (const table of [x]) if (table) return table; }'],
  ['a counter', '(x) => { let n = 0; for (let table = 0; table < x; table += 1) n += table; return n; }'],
  ['what is caught', '(x) => { try { throw x; } catch (table) { return table; } }'],
  ['what is caught in parts', '(x) => { try { throw { table: x }; } catch ({ table }) { return table; } }'],
  [
    'a case',
    '(x) => { switch (x) { case 7: { const table = 1; return table; } default: return table.key_1; } }',
  ],
  [
    'a variable of a function with a default',
    '(own = table.own.deep.length) => { var table = own; return table; }',
    undefined,
  ],
  ['what is switched on', '() => { switch (table.key_1) { default: let table; return 7; } }'],
  [
    'a variable of a static block',
    '() => { class A { static { var table = 1; A.b = table; } } return [A.b, table.key_1]; }',
  ],
  [
    'what is new',
    '() => { class A { constructor() { this.a = new.target === A; } } return [new A().a, table.key_1]; }',
  ],
  ['a constructor', '() => new table.late.constructor("return 7")()'],
  ['a property', '(x) => ({ table: x, other: { table: x }.table })'],
  ['a shorthand', '() => ({ table }).table.key_2'],
  ['a method', '(x) => ({ table() { return x; } }).table()'],
  ['a label', '(x) => { table: for (;;) break table; return table.key_1 + x; }'],
  ['a class of its own', '(x) => { class table { static x = x; } return table.x; }'],
  ['a pattern', '(x) => { const [table, { a: [b] = [table] } = {}] = [x]; return b; }'],
  ['a key of a pattern', '(x) => { const { [table.key_1]: found } = { "text 1": x }; return found; }'],
  ['what is put in a property', '(x) => { table.own.deep.more = x; return table.own.deep.more; }'],
  [
    'a function in a function',
    '() => { const inner = () => { const table = 1; return table; }; return [inner(), table.key_1]; }',
  ],
])('%s of this name means the same as before', (_, get, given: unknown = 7) => {
  const code = `${table} exports.get = ${get};`;
  expect(madeLate(deferred(code))).toEqual(['table']);
  const [before, after] = [ran(code).exports.get, ran(deferred(code)).exports.get].map((each) =>
    Reflect.apply(each ?? Object, undefined, [given]),
  );
  expect(after).toEqual(before);
});
