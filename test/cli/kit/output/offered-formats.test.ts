import { expect, test } from 'vitest';
import { waybill } from '../../harness.ts';
import { sandbox } from '../../sandbox.ts';

const box = await sandbox();
const streamed = ['table', 'wide', 'tsv', 'ndjson', 'json'];

test.each([
  [['deliveries', 'explain', 'dlv_1'], 'csv', [...streamed, 'id']],
  [['deliveries', 'watch', 'dlv_1'], 'csv', streamed],
  [['deliveries', 'watch', 'dlv_1'], 'id', streamed],
  [['track', 'dlv_1'], 'csv', streamed],
  [['serve', '--port', '0'], 'csv', streamed],
  [['start'], 'id', streamed],
])('%j -o %s is exit 2 with all formats, before anything is sent', async (line, format, choices) => {
  const before = box.requests.length;
  const { stdout, stderr, exit } = await box.run([...line, '-o', format], { env: { WAYBILL_JSON: '0' } });
  expect([stdout, exit, box.requests.length]).toEqual(['', 2, before]);
  expect(stderr).toContain(`--output must be one of ${choices.join(', ')}, not "${format}".`);
  const env = { WAYBILL_OUTPUT: format };
  expect((await box.run(line, { env })).stderr).toContain('WAYBILL_OUTPUT must be one of');
  const help = await waybill([...line, '--help']);
  expect(help.stdout.replace(/\s+/g, ' ')).toContain(`(${choices.join(', ')})`);
});
