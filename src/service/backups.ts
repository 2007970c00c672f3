export { copyDatabase, type DatabaseCopy, replaceDatabase, requireUnused } from '../storage/sqlite-backup.ts';
