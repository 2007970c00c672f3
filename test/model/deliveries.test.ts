import { test } from 'vitest';
import { runAgainstModel } from './runs.ts';

test('300 random lives of deliveries are as the model says', async () => {
  await runAgainstModel(300, 20_260_302);
}, 120_000);
