import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { escaped, manualPages, writeManual } from '../../src/build/manual-pages.ts';
import { allPages } from '../../src/cli/help/help-pages.ts';
import { linesSection, type Page, textSection } from '../../src/cli/help/page-layout.ts';
import { tree } from '../../src/cli/tree.ts';
import { commands } from '../cli/commands-of-tree.ts';

const release = { version: '1.2.3', date: '2026-01-31' };
const pages = manualPages(
  (await allPages(tree)).map(({ page }) => page),
  release,
);
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-man-'));
  writeManual(folder, pages);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('there is a page for the program, each group, each command and each topic', () => {
  const files = pages.map(({ file }) => file);
  expect(files).toEqual(
    expect.arrayContaining([
      ...['man1/waybill.1', 'man1/waybill-orders.1', 'man7/waybill-exit-codes.7'],
      ...commands.map(({ path }) => `man1/waybill-${path.join('-')}.1`),
    ]),
  );
  expect(new Set(files).size).toBe(files.length);
});

const odd: Page = {
  name: 'waybill odd',
  summary: "A page's oddities",
  sections: [
    ...linesSection('Flags', [
      ['--a "b"', '.SH is no heading here'],
      ["'quoted'", 'C:\\new\\fB and ~ ^ `x`'],
    ]),
    textSection('Description', '.TH at the beginning\nof two lines', "'so it is"),
    {
      title: 'Examples',
      blocks: [{ kind: 'examples', examples: [{ command: ".waybill \\\n  'x'", summary: 'é' }] }],
    },
  ],
};

test('text that looks like a request is printed literally', () => {
  const [{ text } = { text: '' }] = manualPages([odd], release);
  const requests = text
    .split('\n')
    .filter((line) => /^[.']/.test(line))
    .map((line) => line.split(' ')[0]);
  expect(new Set(requests)).toEqual(new Set(['.TH', '.SH', '.TP', '.PP', '.RS', '.nf', '.fi', '.RE', '.BR']));
  expect(text).toContain('\\&.TH at the beginning of two lines\n');
  expect(text).toContain('\\&.waybill \\e\n  \\(aqx\\(aq\n');
  expect(text).toContain('C:\\enew\\efB and \\(ti \\(ha \\(gax\\(ga');
  expect(text).toContain('\\fB\\-\\-a \\(dqb\\(dq\\fR');
  expect(escaped('é ·')).toBe('\\[u00E9] \\[u00B7]');
});

test('on every page', () => {
  const known = /^\.(?:TH|SH|TP|PP|RS|nf|fi|RE|BR)(?: |$)/;
  for (const { file, text } of pages) {
    const lost = text.split('\n').filter((line) => /^[.']/.test(line) && !known.test(line));
    expect({ file, lost }).toEqual({ file, lost: [] });
    expect({ file, isAscii: /^[\n -~]*$/.test(text) }).toEqual({ file, isAscii: true });
  }
});

const hasGroff = spawnSync('groff', ['--version']).status === 0;
const hasMandoc = spawnSync('mandoc', ['-T', 'lint', '/dev/null']).error === undefined;
const hasMan = spawnSync('man', ['--version']).status === 0;

test.runIf(hasGroff)('groff, if installed, reports no warning', () => {
  const files = pages.map(({ file }) => file);
  const { stderr, status } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', ...files], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
});

test.runIf(hasMandoc)('mandoc, if installed, finds nothing but long lines', () => {
  const files = pages.map(({ file }) => file);
  const { stdout } = spawnSync('mandoc', ['-T', 'lint', ...files], { cwd: folder, encoding: 'utf8' });
  const found = stdout.split('\n').filter((line) => line !== '' && !line.includes('longer than 80 bytes'));
  expect(found).toEqual([]);
});

test.runIf(hasMan && hasGroff)('man, if installed, shows a page with its words as typed', () => {
  const { PATH = '' } = process.env;
  const env = { PATH, MANWIDTH: '200', MANPAGER: 'cat', LC_ALL: 'C.UTF-8', TERM: 'dumb' };
  const { stdout } = spawnSync('man', ['-M', folder, 'waybill-orders-create'], { env, encoding: 'utf8' });
  expect(stdout).toContain("waybill orders create --pickup-address '43 E Ohio St, Chicago, IL 60611'");
  expect(stdout).toContain('--idempotency-key KEY');
  expect(stdout).toMatch(/^EXIT CODES$/m);
});
