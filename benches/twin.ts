import { startTwin } from '../src/twin/start-twin.ts'

/** The operators' twin as a process of a bench. It sends its URL when it is ready, and ends on a signal. */

const twin = await startTwin()
process.send?.({ url: twin.url })
