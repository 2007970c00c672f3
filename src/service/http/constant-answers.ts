/**
 * Answers that a client may have already: descriptions, which never change while the service runs, and pages that reload
 * themselves. They have an entity tag (RFC 9110, 8.8.3): a client that sends it back gets 304 without a body. Others get
 * the body, compressed if they accept gzip.
 */
import type { ReceivedRequest } from '../../contract/operation.ts';
import type { Answer } from './answers.ts';
import { hashKey } from './authentication.ts';

/** The tag of an answer, and its body compressed; null until a client accepts gzip. */
interface Prepared {
  tag: string;
  compressed: Promise<string> | null;
}

const prepared = new WeakMap<Answer, Prepared>();

function prepare(answer: Answer): Prepared {
  const known = prepared.get(answer) ?? { tag: `"${hashKey(answer.body).slice(0, 32)}"`, compressed: null };
  prepared.set(answer, known);
  return known;
}

/** The answer for a client over HTTP: 304 if it has the body already, otherwise compressed if it accepts that. */
export async function forCaller(
  answer: Answer,
  { headers, client_address }: Pick<ReceivedRequest, 'headers' | 'client_address'>,
): Promise<Answer> {
  if (client_address === undefined || answer.status !== 200) return answer;
  const validated = prepare(answer);
  const common = {
    'cache-control': 'public, no-cache',
    ...answer.headers,
    etag: validated.tag,
    vary: 'accept-encoding, accept-language',
  };
  if (matches(headers['if-none-match'], validated.tag)) return { status: 304, body: '', headers: common };
  if (!takesGzip(headers['accept-encoding'])) return { ...answer, headers: common };
  validated.compressed ??= compress(answer.body);
  const body = await validated.compressed;
  return { ...answer, body, encoding: 'base64', headers: { ...common, 'content-encoding': 'gzip' } };
}

/** Whether the tag is among those of an `If-None-Match`; a proxy may have marked it as weak. */
function matches(header: string | undefined, tag: string): boolean {
  const tags = (header ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(tag);
}

function takesGzip(header = ''): boolean {
  return header
    .split(',')
    .map((each) => each.trim().toLowerCase().replaceAll(' ', ''))
    .some((each) => /^(gzip|\*)(;|$)/.test(each) && !/;q=0(\.0*)?$/.test(each));
}

async function compress(body: string): Promise<string> {
  const { gzip } = await import('node:zlib');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  gzip(body, { level: 9 }, (fault, bytes) => {
    if (fault === null) resolve(bytes.toString('base64'));
    else reject(fault);
  });
  return promise;
}

/** Computes the answer of a constant operation once, also for concurrent requests; errors are not cached. */
export function createConstantAnswers() {
  const answers = new Map<string, Promise<Answer>>();
  return (id: string, make: () => Promise<Answer>): Promise<Answer> => {
    const made = answers.get(id) ?? make();
    answers.set(id, made);
    made.catch(() => answers.delete(id));
    return made;
  };
}
