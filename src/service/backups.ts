export { copyDatabase, type DatabaseCopy, replaceDatabase } from '../storage/sqlite-backup.ts';
