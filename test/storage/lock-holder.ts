// Runs as a separate process: acquires the worker lock of a file, reports it, and waits.
import { acquireWorkerLock } from '../../src/storage/sqlite-file.ts';

const [file = ''] = process.argv.slice(2);
const lock = acquireWorkerLock(file);
process.send?.(lock === null ? 'refused' : 'held');
process.on('message', () => lock?.release());
