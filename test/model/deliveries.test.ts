import { test } from 'vitest';
import { runAgainstModel } from './runs.ts';

test('150 random lives of deliveries are as the model says', async () => {
  await runAgainstModel(150, 20_260_302);
}, 120_000);
