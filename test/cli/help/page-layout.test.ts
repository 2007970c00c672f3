import { expect, test } from 'vitest';
import { schemaShape, shapeText } from '../../../src/cli/help/command-facts.ts';
import { groupedFlags } from '../../../src/cli/help/command-help.ts';
import {
  linesSection,
  type Page,
  pageText,
  shellLines,
  textSection,
} from '../../../src/cli/help/page-layout.ts';
import { object, orNull, wordShape } from '../../../src/cli/kit/result/shape.ts';
import { commands } from '../commands-of-tree.ts';
import { waybill } from '../harness.ts';

const page: Page = {
  name: 'waybill keys create',
  summary: 'Make an API key of the mode in use; it is shown once',
  sections: [
    ...linesSection('Flags', [
      ['--permission NAME', 'What it may do (read, write, admin)'],
      ['--name TEXT', 'To tell it from others'],
    ]),
    textSection(null, 'Also: new'),
  ],
};

test('in a narrow one they are below', () => {
  expect(pageText(page, 34)).toBe(
    [
      'Make an API key of the mode in',
      'use; it is shown once.',
      '',
      'Flags',
      '  --permission NAME',
      '      What it may do (read, write,',
      '      admin)',
      '  --name TEXT',
      '      To tell it from others',
      '',
      'Also: new',
      '',
    ].join('\n'),
  );
});

test('a shell reads the lines of an example as one command', () => {
  expect(shellLines("waybill orders create --name 'Joe Diner' --tip 3", 30)).toEqual([
    'waybill orders create --name \\',
    "    'Joe Diner' --tip 3",
  ]);
});

test('flags are grouped: own, filters, waiting, safety, output, global', () => {
  const of = (typed: string) => {
    const entry = commands.find((each) => each.words === typed);
    if (entry === undefined) throw new Error(typed);
    return Object.fromEntries(
      groupedFlags(entry.command).map(([heading, flags]) => [heading, flags.map(([name]) => name)]),
    );
  };
  expect(Object.keys(of('charges list'))).toEqual(['Filters', 'Paging', 'Output', 'Global flags']);
  expect(of('deliveries list').Filters).toEqual(expect.arrayContaining(['status', 'late', 'since', 'until']));
  expect(of('deliveries cancel').Flags).toContain('until');
  expect(of('deliveries wait').Waiting).toEqual(expect.arrayContaining(['until', 'failOn', 'timeout']));
  expect(of('dispatch').Safety).toEqual(
    expect.arrayContaining(['maxCost', 'dryRun', 'idempotencyKey', 'yes']),
  );
  expect(Object.keys(of('orders create')).slice(-3)).toEqual(['Safety', 'Output', 'Global flags']);
  for (const { command } of commands) {
    const names = groupedFlags(command).flatMap(([, flags]) => flags.map(([name]) => name));
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(Object.keys(command.flags)));
  }
});

test('a schema is shown in its simple form', () => {
  const item = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, size: { enum: ['small', 'large'] } },
  };
  const schema = { anyOf: [{ type: 'array', items: item }, { type: 'null' }] };
  expect(shapeText(schemaShape(schema))).toBe('array of { name: string, size?: small | large } or null');
  expect(shapeText(schemaShape({ type: 'string', format: 'date-time' }))).toBe('time');
  expect(shapeText(schemaShape({ const: 'order' }))).toBe('"order"');
  expect(shapeText(orNull(object({ 'at?': 'time', by: wordShape('string') })))).toBe(
    '{ at?: time, by: string } or null',
  );
});

test('without manual pages, `waybill help` is suggested instead', async () => {
  const { stderr, exit } = await waybill(['help', '--man-path']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('Use `waybill help COMMAND` instead.\n')]);
});
