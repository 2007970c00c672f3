/** Says where and why a text that people have written by hand is not JSON. It reads token by token. */

type State = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'next' | 'end';

/** A text such as `"a\n"`, a number such as `-1.5e3`, a word (`true`, `false`, `null`), or a mark of `{}[],:`. */
const token =
  /("(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))|(true|false|null)(?!\w)|([{}[\],:])/uy;

interface Source {
  /** The line of the file where the text starts, from 1. */
  line?: number;
  /** Whether the fault must not quote the text. */
  isSecret?: boolean;
}

/** The first fault of a text: `line 3, column 7: expected a comma or }, not "tip"`. Null if the text is JSON. */
export function jsonFault(text: string, { line = 1, isSecret = false }: Source = {}): string | null {
  const position = (offset: number) => positionOf(text, offset, line);
  /** The brackets that are open. */
  const open: string[] = [];
  let state: State = 'value';
  let at = 0;
  for (;;) {
    // Space is skipped in pieces, so that a large file is not copied for each token.
    at += /^[ \t\r\n]*/.exec(text.slice(at, at + 4096))?.[0].length ?? 0;
    if (/[ \t\r\n]/.test(text[at] ?? '')) continue;
    if (at === text.length) return state === 'end' ? null : `${position(at)}: the text ends too early`;
    token.lastIndex = at;
    const [found = ''] = token.exec(text) ?? [];
    const next = stateAfter(state, found, open);
    if (next === null) return `${position(at)}: ${faultAt(text, at, { state, open, found, isSecret })}`;
    state = next;
    at += found.length;
  }
}

/** The state after a token, which opens or closes a level of `open`; null if it is not allowed. */
function stateAfter(state: State, found: string, open: string[]): State | null {
  if (found === '') return null;
  const isValue = state === 'value' || state === 'first value';
  const isName = state === 'name' || state === 'first name';
  if (isName && found.startsWith('"')) return 'colon';
  if (state === 'colon') return found === ':' ? 'value' : null;
  if (isValue && (found === '{' || found === '[')) {
    open.push(found);
    return found === '{' ? 'first name' : 'first value';
  }
  const level = open.at(-1);
  if (isValue && !/^[}\],:]$/.test(found)) return level === undefined ? 'end' : 'next';
  if (state === 'next' && found === ',') return level === '{' ? 'name' : 'value';
  const closes = state === 'next' || state === 'first name' || state === 'first value';
  if (!closes || found !== (level === '{' ? '}' : ']')) return null;
  open.pop();
  return open.length === 0 ? 'end' : 'next';
}

/** Says what was expected at a position, and what is there. */
function faultAt(
  text: string,
  at: number,
  {
    state,
    open,
    found,
    isSecret,
  }: { state: State; open: readonly string[]; found: string; isSecret: boolean },
): string {
  if (found === '' && text[at] === '"')
    return 'a text is not closed, or has a line break or an invalid escape';
  const close = open.at(-1) === '{' ? '}' : ']';
  const expected: Record<State, string> = {
    value: 'a value',
    'first value': `a value or ${close}`,
    name: 'a name in double quotes',
    'first name': `a name in double quotes or ${close}`,
    colon: 'a colon',
    next: `a comma or ${close}`,
    end: 'the end',
  };
  if (isSecret) return `expected ${expected[state]}`;
  const [seen = ''] = /^(?:[\w.'-]{1,20}|.)/u.exec(found || text.slice(at, at + 20)) ?? [];
  return `expected ${expected[state]}, not ${seen}`;
}

function positionOf(text: string, at: number, line: number): string {
  const lines = text.slice(0, at).split('\n');
  return `line ${line + lines.length - 1}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
