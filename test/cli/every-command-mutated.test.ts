import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { Transport, WireRequest, WireResponse } from '../../src/contract/operation.ts';
import { isWhole, oneOf } from '../in-part.ts';
import { commands, type Entry } from './commands-of-tree.ts';
import { lineOf } from './every-line.ts';
import { everyRecord } from './every-record.ts';
import { runsOf } from './every-run.ts';
import { freshHome, type Outcome, waybill } from './harness.ts';
import { mutated, mutations, type Place, placesIn, unknownWord } from './mutations.ts';

const records = await everyRecord();
const runCommand = runsOf(records);
const at = Date.parse('2026-03-02T12:00:00.000Z');

/** Commands that only read, and end on their own. */
const lookups = commands.filter(
  (entry) => entry.command.effect === 'read' && lineOf(entry, records.ids).endless !== true,
);

type Recording = ReadonlyMap<string, WireResponse>;

/** The service's responses to a command in some formats: people may be told more than programs. */
async function record(entry: Entry, formats: readonly string[][]): Promise<Recording> {
  const answers = new Map<string, WireResponse>();
  const between =
    (transport: Transport): Transport =>
    async (request) => {
      const answer = await transport(request);
      answers.set(keyOf(request), answer);
      return answer;
    };
  for (const flags of formats) {
    const { exit, stderr } = await runCommand(entry, flags, { between });
    expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' });
  }
  return answers;
}

function refusal(status: number, code: string): WireResponse {
  return { status, headers: {}, body: JSON.stringify({ object: 'error', code, message: 'Not recorded.' }) };
}

/** A request without times: the replay happens later. */
function keyOf({ method, path }: Pick<WireRequest, 'method' | 'path'>): string {
  return `${method} ${path.replace(/\b(since|unchanged_since|created_\w+)=[^&]*/g, '$1')}`;
}

/** A command that waits for something that never happens gets 401 after this many requests. */
const max_requests = 200;

/** Runs the command again on the recorded responses, one of which is changed. */
function replay(
  entry: Entry,
  recording: Recording,
  { flags, changed }: { flags: readonly string[]; changed: ReadonlyMap<string, string> },
): Promise<Outcome> {
  const { words, stdin, files = {} } = lineOf(entry, records.ids);
  const home = freshHome();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  let requests = 0;
  const transport: Transport = async (request) => {
    requests += 1;
    if (requests > max_requests) return refusal(401, 'unauthorized');
    const key = keyOf(request);
    const answer = recording.get(key);
    if (answer === undefined) return refusal(404, 'record_not_found');
    return { ...answer, body: changed.get(key) ?? answer.body };
  };
  let now = at;
  const sleep = async (ms: number) => {
    now += ms;
  };
  return waybill([...words, ...flags], {
    ...{ home, transport, sleep, now: () => now },
    ...(stdin === undefined ? {} : { stdin }),
  });
}

const words = [
  'status',
  'type',
  'kind',
  'delivery_type',
  'size',
  'permission',
  'state',
  'mode',
  'preference',
];

/** Whether a path has an enumeration, which a later version may extend. The second record of a list is as the first. */
function isEnumerated(place: Place): boolean {
  return !place.includes(1) && words.some((name) => name === place.at(-1));
}

const formats = [[], ['--json'], ['-o', 'tsv'], ['-o', 'wide']];
let answered = 0;
let refused = 0;

describe.each(lookups)('$words', (entry) => {
  test('a changed response ends with a result or exit 7, never with an internal error', async () => {
    const recording = await record(entry, [[], ['-o', 'wide']]);
    const places = [...recording].flatMap(([key, { body }]) =>
      placesIn(body).map((place) => ({ key, place })),
    );
    if (places.length === 0) return;
    const property = fc.asyncProperty(
      fc.constantFrom(...places),
      fc.constantFrom(...mutations),
      fc.constantFrom(...formats),
      async ({ key, place }, mutation, flags) => {
        const body = mutated(recording.get(key)?.body ?? '', place, mutation);
        const { stderr, exit } = await replay(entry, recording, { flags, changed: new Map([[key, body]]) });
        // The changed response may describe a different outcome: not found, not yet, or a failure; an endless wait gets
        // 401 at last.
        expect([0, 4, 5, 7, 8, 9], stderr).toContain(exit);
        if (exit === 7) refused += 1;
        else answered += 1;
      },
    );
    await fc.assert(property, { numRuns: isWhole ? 40 : 6, seed: 20260302 });
  });
});

describe.each(lookups.filter(oneOf(2)))('$words', (entry) => {
  test('an unknown enumeration value is shown as it is', async () => {
    const waits = ['wait', 'watch', 'tail'].includes(entry.path.at(-1) ?? '');
    for (const flags of [[], ['--json']]) {
      const recording = await record(entry, [flags]);
      for (const [key, { body }] of recording)
        for (const place of placesIn(body).filter(isEnumerated)) {
          const changed = new Map([[key, mutated(body, place, 'unknown word')]]);
          const { stdout, stderr, exit } = await replay(entry, recording, { flags, changed });
          // A command that waits for a known status keeps waiting, until it gets 401.
          expect(waits ? [0, 4, 8] : [0], `${place.join('.')}: ${stderr}`).toContain(exit);
          if (exit === 0 && entry.path.at(-1) === 'get' && place.length === 1)
            expect(stdout, place.join('.')).toContain(unknownWord);
        }
    }
  });
});

afterAll(() => {
  expect(answered).toBeGreaterThan(15);
  expect(refused).toBeGreaterThan(15);
});
