import type { Command } from '../../command.ts';
import { get } from './get.ts';
import { list } from './list.ts';

export const commands: readonly Command[] = [list, get];
