import type { Command } from '../../command.ts';
import { create } from './create.ts';
import { deleteProfile } from './delete.ts';
import { list } from './list.ts';
import { use } from './use.ts';

export const commands: readonly Command[] = [list, use, create, deleteProfile];
