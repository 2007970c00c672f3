/** A body that was perhaps meant, and what happened to it on the way. */
export interface LikelyBody {
  body: string;
  hint: string;
}

/** What often becomes of a body between the network and a file, each undone. */
export function likelyBodies(body: string): LikelyBody[] {
  const found = [
    {
      body: body.replace(/\r?\n$/, ''),
      hint: 'It is valid without the newline at the end of the body: echo, an editor or a here-document added it. `printf %s` adds none.',
    },
    {
      body: `${body}\n`,
      hint: 'It is valid with a newline at the end of the body, which was lost on the way.',
    },
    {
      body: body.replaceAll('\r\n', '\n'),
      hint: 'It is valid with line ends of one character: they were changed to CR LF on the way.',
    },
    {
      body: body.replace(/^\ufeff/, ''),
      hint: 'It is valid without the byte order mark, which an editor has put before the body.',
    },
    {
      body: compact(body),
      hint: 'It is valid as JSON without spaces: the body was parsed and written again. Keep the bytes that came.',
    },
  ];
  return found.filter((each) => each.body !== body);
}

function compact(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}
