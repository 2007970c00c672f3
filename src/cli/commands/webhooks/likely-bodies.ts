/** A body that was probably sent, and how it was altered on the way. */
export interface LikelyBody {
  body: string;
  hint: string;
}

/** Reverts one typical alteration of a body between the network and a file. */
interface Undoing {
  undo(body: string): string;
  /** Completes "It is valid". */
  how: string;
  why: string;
}

const mark: Undoing = {
  undo: (body) => body.replace(/^\ufeff/, ''),
  how: 'without the byte order mark',
  why: 'An editor has put it before the body.',
};
const lineEnds: Undoing = {
  undo: (body) => body.replaceAll('\r\n', '\n'),
  how: 'with line ends of one character',
  why: 'They were changed to CR LF on the way.',
};
const ends: readonly Undoing[] = [
  {
    undo: (body) => body.replace(/\r?\n$/, ''),
    how: 'without the newline at the end of the body',
    why: 'echo, an editor or a here-document added it. `printf %s` adds none.',
  },
  {
    undo: (body) => body.trimEnd(),
    how: 'without the empty lines at the end of the body',
    why: 'echo, an editor or a here-document added them. `printf %s` adds none.',
  },
  {
    undo: (body) => `${body}\n`,
    how: 'with a newline at the end of the body',
    why: 'It was lost on the way.',
  },
  {
    undo: compact,
    how: 'as JSON without spaces',
    why: 'The body was parsed and written again. Keep the bytes that came.',
  },
];

/** Reverts typical alterations of a body between the network and a file: each alone first, then combined. */
export function likelyBodies(body: string): LikelyBody[] {
  const single = [...ends, lineEnds, mark].map((each) => [each]);
  const pairs = ends.flatMap((end) => [
    [mark, end],
    [lineEnds, end],
  ]);
  const all = ends.map((end) => [mark, lineEnds, end]);
  const found = [...single, ...pairs, [mark, lineEnds], ...all].flatMap((chain) => undone(body, chain) ?? []);
  return found.filter((each) => each.body !== body);
}

/** Null if one of the steps changes nothing: a shorter chain covers it. */
function undone(body: string, chain: readonly Undoing[]): LikelyBody | null {
  let left = body;
  for (const { undo } of chain) {
    const before = left;
    left = undo(before);
    if (left === before) return null;
  }
  const hows = chain.map(({ how }) => how).join(' and ');
  return { body: left, hint: `It is valid ${hows}. ${chain.map(({ why }) => why).join(' ')}` };
}

function compact(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}
