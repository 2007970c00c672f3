import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentSkill, referencePages, skillFile, withCourierTable } from '../../src/build/reference.ts';
import { guidePages } from '../../src/cli/help/guide-pages.ts';
import { guideTopics } from '../../src/cli/help/help-topics.ts';
import { waybill as inProcess } from '../cli/harness.ts';
import {
  blocks,
  documents,
  documentsRunAlways,
  documentsRunSeldom,
  folder,
  pages,
  readme,
  runDocument,
} from './guide-documents.ts';
import { root } from './run.ts';

// test/heavy/guide.test.ts runs those of the others.
test.each(documentsRunAlways)('the commands of $name run in order', runDocument);

test.each(documents)('$name leaves the shell as it was: what it exports is unset at its end', ({ text }) => {
  const commands = blocks(text, 'sh').join('\n');
  const exported = [...commands.matchAll(/^export (.*)$/gm)].flatMap(([, rest = '']) =>
    [...rest.matchAll(/\b([A-Z][A-Z_]*)=/g)].map(([, name = '']) => name),
  );
  const left = exported.filter((name) => {
    const last = commands.lastIndexOf(`${name}=`);
    return !commands
      .slice(last)
      .split('\n')
      .some((line) => line.startsWith('unset ') && line.split(' ').includes(name));
  });
  expect(left).toEqual([]);
});

test.each(documents)('$name has no comment behind a command: zsh would take it for arguments', ({ text }) => {
  const lines = blocks(text, 'sh').flatMap((code) =>
    code.replaceAll(/<<'?END'?\n[\s\S]*?^END$/gm, '').split('\n'),
  );
  expect(lines.filter((line) => /(?:^|\s)#\s/.test(line.replaceAll(/'[^']*'|"[^"]*"/g, 'x')))).toEqual([]);
});

/** Commands that need a terminal or the network, or are endless, are shown in console blocks and not run. */
const notRun = /^(npm |PATH=|waybill (new|completion|listen|login|track|couriers connect) )/;

test('a command that is not run needs a terminal, npm, or another service, or never ends', () => {
  const lines = documents
    .filter(({ name }) => name !== 'scenarios.md')
    .flatMap(({ text }) => blocks(text, 'console'))
    .flatMap((code) => code.split('\n').filter((line) => line.startsWith('$ ')));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line.slice(2)).toMatch(notRun);
});

test('the reference pages match the program', async () => {
  const couriers = readFileSync(join(folder, 'connecting-couriers.md'), 'utf8');
  expect(couriers, 'run node src/build/reference.ts').toBe(await withCourierTable(couriers));
  expect(couriers).toContain('| Uber Direct (`uber-direct`) |');
  for (const [name, markdown] of Object.entries(await referencePages()))
    expect(readFileSync(join(folder, name), 'utf8'), `${name}: run node src/build/reference.ts`).toBe(
      markdown,
    );
});

test('the skill for agents is the page of the guide, in at most 150 lines', () => {
  const skill = readFileSync(join(root, ...skillFile), 'utf8');
  expect(skill, 'run node src/build/reference.ts').toBe(agentSkill());
  expect(skill.split('\n').length).toBeLessThanOrEqual(150);
});

/** The commands that the page for agents names within its sentences, without what a shell makes of them. */
const named = [...readFileSync(join(folder, 'agents.md'), 'utf8').matchAll(/`waybill ([^`\n]+)`/g)].flatMap(
  ([, line = '']) => (/^(COMMAND|commands NAME)/.test(line) ? [] : [line.replace(/ > .*/, '')]),
);
/** The commands of the documents that only test/heavy runs. */
const typed = documentsRunSeldom.flatMap(({ text }) =>
  [
    ...blocks(text, 'sh')
      .join('')
      .replaceAll('\\\n', ' ')
      .matchAll(/^waybill (.*?)( [|>] .*| \|\| true| &)?$/gm),
  ].flatMap(([, line = '']) => (line.includes('$(') ? [] : line)),
);

test.each([...named, ...typed])('a command in the guide has the flags that it is given: %s', async (line) => {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const unquoted = words.map((word) => word.replaceAll(/['"]/g, ''));
  const { stderr } = await inProcess([...unquoted, '--dry-run', '--no-input']);
  expect(stderr).not.toMatch(/There is no (command|flag (?!--dry-run))|unexpected argument/i);
});

test('every page of the guide is a help topic with its summary, and the README links to it', async () => {
  const reference = Object.keys(await referencePages());
  expect(guideTopics.map(({ name }) => `${name}.md`).sort()).toEqual(
    pages.filter((name) => !reference.includes(name)).sort(),
  );
  for (const page of guidePages()) expect(page.sections.length, page.name).toBeGreaterThan(0);
  for (const name of pages) expect(readme).toContain(`src/guide/${name}`);
  const { stdout } = await inProcess(['help', 'events-and-webhooks']);
  expect(stdout).toContain('Per-delivery ordering');
});

test('links in the documents lead to existing files', () => {
  for (const { name, text } of documents) {
    const base = name === 'README.md' ? root : folder;
    for (const [, href = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)\)/g))
      expect(() => readFileSync(join(base, href)), `${name}: ${href}`).not.toThrow(/ENOENT/);
  }
});

test('the README stays short', () => {
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(10_000);
});
