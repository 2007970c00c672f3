import { UsageError } from '../kit/errors/failure.ts';
import type { Context } from './command.ts';

/**
 * Asks a question about real money. In test mode no money moves, so it is not asked. In live mode --yes counts only
 * together with a maximum.
 */
export async function confirmSpending(
  context: Context,
  max_cost: number | undefined,
  question: () => Promise<string>,
): Promise<void> {
  if (context.globals.dryRun || (await context.mode()) === 'test') return;
  if (context.globals.yes && max_cost !== undefined) return;
  const whole = `${await question()}, for real money, with the profile ${context.settings.name}?`;
  if (max_cost === undefined && !context.interactive)
    throw confirmationRequired(whole, ['--yes', '--max-cost']);
  await context.confirm(whole, { despiteYes: max_cost === undefined });
}

/** Exit 2: real money would be spent without a confirmation. */
export function confirmationRequired(question: string, missing: readonly string[]): UsageError {
  return new UsageError(`Confirmation required: ${question}`, {
    code: 'confirmation_needed',
    missing,
    hint: 'In live mode, pass --yes together with --max-cost.',
  });
}
