/** Milliseconds between two announcements on one channel. */
const PAUSE_MS = 10

/**
 * Tells those who listen that there may be something new to look at. Told outside the transaction it is about: a NOTIFY
 * inside makes every commit of the server wait for the one before, its flush to disk included. Announcements that come
 * close together are one, and one that is lost is made good by those who also look from time to time.
 */
export function createAnnouncer(tell: (channel: string) => Promise<void>): (channel: string) => void {
  /** Told lately; true when there was something again since. */
  const resting = new Map<string, boolean>()

  async function announce(channel: string): Promise<void> {
    resting.set(channel, false)
    await tell(channel).catch(() => {})
    setTimeout(() => {
      const again = resting.get(channel)
      resting.delete(channel)
      if (again) void announce(channel)
    }, PAUSE_MS).unref()
  }

  return (channel) => {
    if (resting.has(channel)) resting.set(channel, true)
    else void announce(channel)
  }
}
