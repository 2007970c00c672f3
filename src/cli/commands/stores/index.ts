import type { Command } from '../../command.ts';
import { create } from './create.ts';
import { deleteStore } from './delete.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { update } from './update.ts';

export const commands: readonly Command[] = [create, list, get, update, deleteStore];
