import type { Command } from '../../command.ts';
import { cancel } from './cancel.ts';
import { create } from './create.ts';
import { get } from './get.ts';
import { list } from './list.ts';

export const commands: readonly Command[] = [create, list, get, cancel];
