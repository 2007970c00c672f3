import type { Command } from '../../command.ts';
import { cancel } from './cancel.ts';
import { create } from './create.ts';
import { dispute } from './dispute.ts';
import { edit } from './edit.ts';
import { explain } from './explain.ts';
import { get } from './get.ts';
import { initiate } from './initiate.ts';
import { list } from './list.ts';
import { quote } from './quote.ts';
import { retry } from './retry.ts';
import { wait } from './wait.ts';
import { watch } from './watch.ts';

export const commands: readonly Command[] = [
  ...[list, get, explain, watch, wait],
  ...[quote, create, initiate, edit, cancel, retry, dispute],
];
