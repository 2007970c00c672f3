import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, expect, test } from 'vitest';
import { completionScript } from '../../../src/cli/completion/shell-scripts.ts';
import { tree } from '../../../src/cli/tree.ts';

/** A node of the tree that a text is parsed into. */
interface Node {
  type: string;
  text: string;
  startIndex: number;
  isMissing: boolean;
  /** Whether something below it is not PowerShell. */
  hasError: boolean;
  children: readonly Node[];
}

interface Grammars {
  Parser: {
    new (): { setLanguage(language: unknown): void; parse(text: string): { rootNode: Node; delete(): void } };
    init(): Promise<void>;
  };
  Language: { load(bytes: Uint8Array): Promise<unknown> };
}

const script = completionScript('powershell', tree);
let isWhole: (text: string) => boolean;
let nodes: readonly Node[];

beforeAll(async () => {
  const require = createRequire(import.meta.url);
  const { Parser, Language }: Grammars = require('@vscode/tree-sitter-wasm');
  await Parser.init();
  const parser = new Parser();
  const file = require.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-powershell.wasm');
  parser.setLanguage(await Language.load(readFileSync(file)));
  isWhole = (text) => {
    const tree = parser.parse(text);
    const { hasError } = tree.rootNode;
    tree.delete();
    return !hasError;
  };
  nodes = below(parser.parse(script).rootNode);
});

function below(node: Node): Node[] {
  return [node, ...node.children.flatMap(below)];
}

const textsOf = (wanted: string) => nodes.filter(({ type }) => type === wanted).map(({ text }) => text);

test('the script for PowerShell parses', () => {
  expect(isWhole(script)).toBe(true);
  expect(nodes.filter(({ type, isMissing }) => type === 'ERROR' || isMissing)).toEqual([]);
  for (const type of ['param_block', 'foreach_statement', 'try_statement', 'switch_statement'])
    expect(textsOf(type)).not.toEqual([]);
  // The grammar accepts it, PowerShell does not.
  for (const { type, children } of nodes)
    if (type === 'try_statement')
      expect(children.map((child) => child.type).at(-1)).toMatch(/^(catch|finally)_/);
});

test('nothing of the line is executed: its words reach the program through the environment only', () => {
  const called = textsOf('command').filter((text) => text.startsWith('&'));
  expect(called).toEqual(['& $program __complete --environment 2>$null']);
  expect(script).not.toMatch(/Invoke-Expression|\biex\b/i);
  const set = textsOf('assignment_expression').filter((text) => text.startsWith('$env:'));
  expect(set).toEqual([
    '$env:WAYBILL_TYPED = ($typed + $current) -join [char]31',
    '$env:WAYBILL_TYPED = $null',
  ]);
});

test('a result has four parts, none of them empty', () => {
  const made = textsOf('invokation_expression').filter((text) => text.includes('::new('));
  expect(made).toEqual([
    "[System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)",
  ]);
  for (const guard of ['if (-not $value) { continue }', 'if (-not $about) { $about = $value }'])
    expect(textsOf('if_statement')).toContain(guard);
});
