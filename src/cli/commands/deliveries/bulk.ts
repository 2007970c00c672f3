/**
 * Several deliveries in one command: priced (`bulk-prices.ts`), confirmed, and done one after the other. Here is decided
 * when a run stops, how it is continued, and which exit code it ends with.
 */
import { moneyText } from '../../kit/args/flags.ts';
import { DryRun, type ExitCode, Failure } from '../../kit/errors/failure.ts';
import { type Invocation, invocation, phrase } from '../../kit/result/message.ts';
import { exitUnless, type ListResult, listResult } from '../../kit/result/result.ts';
import { partlyDone } from '../../nouns/order-sending.ts';
import type { Context } from '../../session/command.ts';
import type { BulkAction, BulkOutcome, Checked, Named, Priced } from './bulk-action.ts';
import { noteClosed, notePreview, priceSelection, readRefusal } from './bulk-prices.ts';
import { type BulkRow, bulkColumns, deliveriesText, previewResult, refusedRow } from './bulk-rows.ts';
import { type Selection, selectDeliveries } from './bulk-selection.ts';

/** A bulk command and its progress. */
interface Bulk {
  action: BulkAction;
  /** The deliveries to act on, and those that are refused. */
  checked: readonly Checked[];
  rows: BulkRow[];
  /** The rest of the limit, in cents; undefined if there is no limit. */
  remaining: number | undefined;
  /** The error that ended it before its end; null without one. */
  stopped: unknown;
}

/**
 * Acts on several deliveries in sequence: their prices, the list of them, the limit and the question (`agree`), then each
 * of them. A dry run ends after the question, which it only prints, with --curl after the first request. Exit 10 if some
 * were refused or failed; if all were refused for the same reason, the exit code of that reason. The service refuses what
 * was done before, so that the same command continues an interrupted run.
 */
export async function runBulk(
  context: Context,
  selection: Selection,
  action: BulkAction,
): Promise<ListResult> {
  const { checked, closed } = await priceSelection(
    context,
    await selectDeliveries(context, selection, action.period),
    action,
  );
  if (closed > 0) noteClosed(context, closed);
  const priced = checked.filter((each): each is Priced & Named => each.kind === 'priced');
  const { dryRun, curl, yes } = context.globals;
  if (!context.output.json && !dryRun && !yes) notePreview(context, checked);
  const agree = async () => {
    const refused = checked.filter(({ kind }) => kind === 'refused');
    if (priced.length > 0) await action.agree(priced, refused.length);
  };
  if (dryRun && !curl) return previewResult(checked, action, await agree().then(() => null, refusalIn));
  await agree();
  const bulk: Bulk = { action, checked, rows: [], remaining: action.limit.max, stopped: null };
  return listResult({
    data: rowsOf(context, bulk),
    columns: bulkColumns,
    empty: 'No deliveries found: nothing was changed.',
    notes: () => (checked.length === 0 || failureOf(context, bulk) !== null ? [] : [doneText(bulk)]),
    exit: exitUnless(() => failureOf(context, bulk)),
  });
}

/** The refusal of a total above the limit. */
function refusalIn(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** Yields the rows as they are done; the first error that would affect every one ends them. */
async function* rowsOf(context: Context, bulk: Bulk): AsyncGenerator<BulkRow> {
  try {
    for (const each of bulk.checked) {
      context.setInterruptionText(phrase`${doneText(bulk)} Continue with: ${continueCommand(context, bulk)}`);
      const { external_order_ref, store } = each;
      const outcome = await outcomeOf(context, each, bulk);
      const row = { ...outcome, external_order_ref, store };
      bulk.rows.push(row);
      yield row;
    }
  } catch (error) {
    if (error instanceof DryRun) throw error;
    bulk.stopped = error;
  }
}

async function outcomeOf(context: Context, each: Checked, bulk: Bulk): Promise<BulkOutcome> {
  if (each.kind === 'done') return each.outcome;
  return each.kind === 'refused' ? refusedRow(each) : rowOf(context, each, bulk);
}

/** Changes a delivery and takes its cost off the limit. */
async function rowOf(context: Context, priced: Priced, bulk: Bulk): Promise<BulkOutcome> {
  const { delivery_id, tip = 0 } = priced;
  const { action, remaining } = bulk;
  try {
    const idempotencyKey = context.idempotencyKey(delivery_id);
    const outcome = await action.act(priced, { remaining, idempotencyKey });
    if (remaining !== undefined && outcome.result === action.done)
      bulk.remaining = Math.max(0, remaining - (outcome.cost ?? 0) - tip);
    return outcome;
  } catch (error) {
    return refusedRow(readRefusal(delivery_id, error));
  }
}

/** The command that continues: the flags as typed, with what is left of the limit. */
function continueCommand({ typedWords }: Context, { action, remaining }: Bulk): Invocation {
  const { flag } = action.limit;
  const limit = remaining === undefined ? undefined : moneyText(remaining);
  return invocation(action.command, typedWords([flag]), { [flag]: limit });
}

function doneText({ rows, checked, action: { done } }: Bulk): string {
  const went = rows.filter(({ result }) => result === done).length;
  const verb = went === 1 || checked.length === 1 ? 'was' : 'were';
  return `${went} of ${deliveriesText(checked)} ${verb} ${done}.`;
}

/** The exit code if all were refused for one reason; 6 for any other. */
const exitByCode: Readonly<Record<string, ExitCode>> = { record_not_found: 5, usage: 2 };

/** The error that a bulk command ends with; null if all went well. */
function failureOf(context: Context, bulk: Bulk): unknown {
  const { action, checked, rows, stopped } = bulk;
  if (stopped !== null) {
    if (rows.length === 0) return stopped;
    const again = continueCommand(context, bulk);
    return partlyDone(stopped, doneText(bulk), {
      hint: phrase`The others were not tried. Continue with: ${again}`,
      next: [{ ...again, when: 'continue, nothing is done twice' }],
    });
  }
  const undone = rows.filter(({ result }) => result !== action.done);
  const [first] = undone;
  if (first === undefined) return null;
  const isSame = undone.length === checked.length && undone.every(({ code }) => code === first.code);
  const ownExit = first.result === 'failed' ? 9 : (exitByCode[first.code ?? ''] ?? 6);
  const exit = isSame ? ownExit : 10;
  const code = isSame && first.code !== null ? first.code : 'some_not_changed';
  return new Failure(exit, code, doneText(bulk), {
    faults: undone.map(({ delivery_id, reason }) => ({
      path: delivery_id,
      message: reason ?? '',
      flag: null,
    })),
  });
}

/** Has the total confirmed; with --yes and --dry-run it is only printed. */
export async function agreeTo(context: Context, question: string, despiteYes = false): Promise<void> {
  const { dryRun, yes } = context.globals;
  if ((dryRun || (yes && !despiteYes)) && !context.output.json) context.note(question);
  if (dryRun) return;
  await context.confirm(question, { despiteYes });
}
