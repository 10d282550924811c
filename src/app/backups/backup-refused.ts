/** A backup or a restore cannot be made. The message tells the person who asked what to do. */
export class BackupRefused extends Error {
  override name = 'BackupRefused'
}
