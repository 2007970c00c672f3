/**
 * The references that this machine has sent to services other than waybill's, with the records that they got. Such a
 * service may leave older records out of its lists, or show new ones late; by their ID they are found all the same.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { Order } from '../../contract/orders.ts';
import { isFields } from '../../domain/fields.ts';
import { reference_use_ms } from '../../domain/references.ts';
import { awaitLock } from '../kit/system/file-lock.ts';
import { makeFolder, replaceFile } from '../kit/system/files.ts';
import type { Context } from '../session/command.ts';
import { embeddedFile } from '../settings/settings.ts';

interface Sent {
  /** The service. */
  at: string;
  ref: string;
  kind: 'order' | 'delivery';
  id: string;
  sent_at: number;
}

type SentRecord = { kind: 'order'; record: Order } | { kind: 'delivery'; record: Delivery };

/** Beyond this many lines, those that no longer count are removed. */
const max_lines = 5000;

function fileOf({ host }: Pick<Context, 'host'>): string {
  return `${dirname(embeddedFile(host))}/sent-references.ndjson`;
}

/** The service and the reference; not as text, as a reference may have the name of a person. */
async function namesOf(
  { settings }: Pick<Context, 'settings'>,
  ref: string,
): Promise<Pick<Sent, 'at' | 'ref'>> {
  const { createHash } = await import('node:crypto');
  const { target, mode } = settings;
  const at = `${target.kind === 'http' ? target.baseUrl.replace(/\/+$/, '') : ''} ${mode}`;
  const hashed = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return { at: hashed(at), ref: hashed(`${at} ${ref}`) };
}

/** The reference under which the dispatch of an order is remembered, as its delivery may show late. */
export function dispatchOf(order_id: string): string {
  return `dispatch of ${order_id}`;
}

/** Remembers the record that was created with a reference. A machine that cannot write does without it. */
export async function rememberSent(context: Context, ref: string, made: unknown): Promise<void> {
  if (!isFields(made) || made.id === undefined || made.id === '') return;
  const kind = Array.isArray(made.dropoffs) ? 'delivery' : 'order';
  const names = await namesOf(context, ref);
  const sent: Sent = { ...names, kind, id: String(made.id), sent_at: context.host.now() };
  const file = fileOf(context);
  try {
    makeFolder(dirname(file));
    // Another process may replace the file: a line that is added to the old one is lost.
    const lock = awaitLock(`${file}.lock`, (cause) => new Error('no lock', { cause }));
    try {
      addLine(file, sent);
    } finally {
      lock.release();
    }
  } catch {}
}

function addLine(file: string, sent: Sent): void {
  appendFileSync(file, `${JSON.stringify(sent)}\n`, { mode: 0o600 });
  const lines = readFileSync(file, 'utf8').split('\n');
  if (lines.length <= max_lines) return;
  const kept = lines.flatMap(sentIn).filter((each) => isInUse(each, sent.sent_at));
  replaceFile(file, kept.map((each) => `${JSON.stringify(each)}\n`).join(''), { mode: 0o600 });
}

/** The records that this machine has created with a reference and that the service still has, latest first. */
export async function findSent(context: Context, external_order_ref: string): Promise<SentRecord[]> {
  let lines: string[];
  try {
    lines = readFileSync(fileOf(context), 'utf8').split('\n');
  } catch {
    return [];
  }
  const { at, ref } = await namesOf(context, external_order_ref);
  const now = context.host.now();
  const sent_before = lines
    .flatMap(sentIn)
    .filter((each) => each.at === at && each.ref === ref && isInUse(each, now))
    .toReversed();
  const answers = await Promise.all(sent_before.map((each) => fetchSent(context, each)));
  return answers.flatMap((each) => each ?? []);
}

function isInUse({ sent_at }: Sent, now: number): boolean {
  return now - sent_at < reference_use_ms;
}

/** A line that another version or a full disk has left is no record. */
function sentIn(line: string): Sent[] {
  try {
    const { at, ref, kind, id, sent_at } = JSON.parse(line);
    return [
      {
        at: String(at),
        ref: String(ref),
        kind: kind === 'order' ? kind : 'delivery',
        id: String(id),
        sent_at: Number(sent_at),
      },
    ];
  } catch {
    return [];
  }
}

async function fetchSent(context: Context, { kind, id }: Sent): Promise<SentRecord | null> {
  const client = await context.client();
  if (kind === 'order') {
    const answer = await unlessMissing(ifSupported(client.orders.get({ params: { order_id: id } }), null));
    return answer && { kind, record: answer.data };
  }
  const answer = await unlessMissing(client.deliveries.get({ params: { deliveryid: id } }));
  return answer && { kind, record: answer.data };
}
