import type { Command } from '../../command.ts';
import { list } from './list.ts';

export const commands: readonly Command[] = [list];
