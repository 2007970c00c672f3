import type { Connection, ProofPictureRow } from './database.ts';

export async function insertPicture(db: Connection, picture: ProofPictureRow): Promise<void> {
  await db.insertInto('proof_pictures').values(picture).execute();
}

export async function findPicture(db: Connection, id: string): Promise<ProofPictureRow | undefined> {
  return db.selectFrom('proof_pictures').selectAll().where('id', '=', id).executeTakeFirst();
}
