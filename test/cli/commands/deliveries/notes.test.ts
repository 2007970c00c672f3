import { expect, test } from 'vitest';
import { errorOf } from '../../harness.ts';
import { newDelivery, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const people = { tty: true, env: { NO_COLOR: '1' } };

const made = (ref: string) => newDelivery(box, '--ref', ref);

test('a note is shown to the next agent by explain and get, newest first, and no event is published', async () => {
  const id = await made('noted');
  const events = async () => (await box.run(['events', 'list', '--all', '-o', 'id'])).stdout;
  const before = await events();
  const first = await box.json(['deliveries', 'note', 'noted', 'Gate code is 1234']);
  expect(first).toMatchObject({
    object: 'delivery_note',
    delivery_id: id,
    text: 'Gate code is 1234',
    tags: [],
  });
  box.advance(60_000);
  await box.json(['deliveries', 'note', id, 'Called, no answer', '--tag', 'callback', '--tag', 'callback']);
  expect(await events()).toBe(before);
  const { stdout } = await box.run(['deliveries', 'explain', id], people);
  expect(stdout).toMatch(
    /\nNotes\n {2}Called, no answer \[callback\], .*\n {2}Gate code is 1234, .*\n\nRoute\n/,
  );
  const shown = await box.run(['deliveries', 'get', id], people);
  expect(shown.stdout).toMatch(/Note +Called, no answer \[callback\], .*\nNote +Gate code is 1234, /);
  expect(await box.json(['deliveries', 'explain', id])).toMatchObject({
    notes: [{ text: 'Called, no answer', tags: ['callback'] }, { text: 'Gate code is 1234' }],
  });
  expect(await box.json(['deliveries', 'get', id])).not.toHaveProperty('notes');
  const listed = await box.run(['deliveries', 'note', id, '-o', 'ndjson']);
  expect(listed.stdout.trim().split('\n')).toHaveLength(2);
});

test('notes need a delivery and a text, and a reset of the sandbox deletes them', async () => {
  const id = await made('reset');
  const tag = await box.run(['deliveries', 'note', id, '--tag', 'vip', '--json']);
  expect([tag.exit, errorOf(tag.stderr).message]).toEqual([2, 'A tag needs a note: add its text.']);
  const blank = await box.run(['deliveries', 'note', id, ' ', '--json']);
  expect(blank.exit).toBe(2);
  const none = await box.run(['deliveries', 'note', 'dlv_01KJPZ6V3CQ8YH2W5N7R4T9XEE', 'Hello', '--json']);
  expect([none.exit, errorOf(none.stderr).code]).toEqual([5, 'record_not_found']);
  await box.json(['deliveries', 'note', id, 'Kept until the reset']);
  expect((await box.run(['sandbox', 'reset', '--yes'])).exit).toBe(0);
  expect((await box.run(['deliveries', 'note', id, '--json'])).exit).toBe(5);
});
