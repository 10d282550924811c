import { startTwin } from '../src/twin/start-twin.ts'

/** The operators' twin in a process of its own, as a bench has it: it says where it is, and ends when it is told to. */

const twin = await startTwin()
process.send?.({ url: twin.url })
