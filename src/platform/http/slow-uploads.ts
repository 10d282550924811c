import type { RequestContext } from './request-context.ts'

/** Bytes that must have arrived for each second so far: 64 kbit/s, below what the slowest mobile networks carry. */
const LEAST_BYTES_A_SECOND = 8_000

/** The longest upload, in times of the deadline of other bodies: five minutes. */
const TIMES_LONGER_MAX = 30

/** Uploads that may be slow at once, of as many people. With the longest file, they hold 80 MB. */
const AT_ONCE_MAX = 16

/**
 * The rule of bodies that take longer than others: a file of 2 MB takes a phone 40 seconds at 400 kbit/s. Only the upload of a signed-in
 * person may, one of each person, while it makes progress. So a body that drips or stops ends with the deadline of every other body, and one
 * account cannot hold many files in memory.
 * @param deadlineMs the deadline of other bodies
 */
export function createSlowUploads(deadlineMs: number) {
  const uploaders = new Set<string>()

  function isLate({ beganAt, request }: RequestContext): boolean {
    const took_ms = performance.now() - beganAt
    return took_ms > TIMES_LONGER_MAX * deadlineMs || request.bytesArrived < (LEAST_BYTES_A_SECOND * took_ms) / 1_000
  }

  return {
    /**
     * Lets a body whose deadline has passed go on, if it may. Its connection closes after the answer, because Node has reported its timeout.
     * @param onLate called when it is late after all, and again until its body or its connection has ended
     * @returns whether it may
     */
    letGoOn(context: RequestContext, onLate: () => void): boolean {
      const { uploader, request } = context
      if (uploader === null || uploaders.has(uploader) || uploaders.size >= AT_ONCE_MAX || isLate(context)) return false
      uploaders.add(uploader)
      context.last = true
      const watch = setInterval(() => isLate(context) && onLate(), deadlineMs / 10)
      const end = () => {
        clearInterval(watch)
        uploaders.delete(uploader)
      }
      request.once('end', end)
      // Node does not end a request that was answered before its body had arrived.
      request.socket.once('close', end)
      return true
    },
  }
}
