// Run as a process of its own: takes the worker lock of a file, says so, and stays.
import { acquireWorkerLock } from '../../src/storage/worker-lock.ts';

const [file = ''] = process.argv.slice(2);
const lock = acquireWorkerLock(file);
process.send?.(lock === null ? 'refused' : 'held');
process.on('message', () => lock?.release());
