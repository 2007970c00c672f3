import { test } from 'vitest';
import { bothSides, expectUnchangedByRandomCalls } from '../service/isolation/property.ts';

test.each(bothSides)(
  'nothing that a $acting key does changes what a $seen key reads, over many random calls',
  expectUnchangedByRandomCalls,
);
