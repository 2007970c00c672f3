import type { showBoard } from '../../contract/pages.ts';
import type { Handler } from '../http/handler.ts';

/** The same page for everyone: it reads its data with the key that its reader has. */
export const board: Handler<typeof showBoard> = async () => (await import('./page.ts')).boardPage;
