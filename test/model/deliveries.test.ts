import { test } from 'vitest';
import { runAgainstModel } from './runs.ts';

test('150 random lives of deliveries match the model', async () => {
  await runAgainstModel(150, 20_260_302);
}, 120_000);
