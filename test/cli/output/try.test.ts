import { test } from 'vitest';
import { readingLines, withoutLine } from './people-made.ts';
test('x', async () => {
  const { box, lines } = await readingLines();
  console.log(lines, withoutLine(lines));
  for (const l of [['quotes','list',lines[3]![2]!],['events','list'],['charges','list'],['stores','list'],['sandbox','steps',lines[5]![2]!],['keys','list'],['batches','list'],['orders','tries',lines[1]![2]!],['webhooks','list'],['track', lines[5]![2]!]]) { const r = await box.run(l, {tty:true, columns: 60}); console.log(l, r.exit, r.stdout.slice(0,600), r.stderr.slice(0,300)); }
});
