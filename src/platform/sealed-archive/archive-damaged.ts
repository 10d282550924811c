/** The bytes of an archive are not those that were written. */
export class ArchiveDamaged extends Error {
  override name = 'ArchiveDamaged'

  constructor() {
    super('The archive is damaged.')
  }
}
