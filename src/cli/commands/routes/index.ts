import type { Command } from '../../command.ts';
import { create } from './create.ts';
import { deleteRoute } from './delete.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { quote } from './quote.ts';

export const commands: readonly Command[] = [create, list, get, deleteRoute, quote];
