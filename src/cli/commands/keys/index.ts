import type { Command } from '../../command.ts';
import { create } from './create.ts';
import { list } from './list.ts';
import { revoke } from './revoke.ts';

export const commands: readonly Command[] = [create, list, revoke];
