import type { Command } from '../../command.ts';
import { advance } from './advance.ts';
import { clock } from './clock.ts';
import { provider } from './provider.ts';
import { reset } from './reset.ts';
import { scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { step } from './step.ts';
import { steps } from './steps.ts';

export const commands: readonly Command[] = [
  clock,
  advance,
  scenarios,
  scenario,
  steps,
  step,
  provider,
  reset,
];
