import type { LoadOrder, LoadReport } from './load-order.ts'
import { startOwnProcess } from './own-process.ts'

/** The process of the load (load.ts), which also plays the merchants' web servers. */
export type Load = AsyncDisposable & {
  /** The base URL of the merchants' endpoints. */
  url: string
  /** Runs one order. The callbacks mark the beginning and the end of the measured time. */
  run(order: LoadOrder, onMeasuring: () => Promise<void>, onMeasured: () => Promise<void>): Promise<LoadReport>
}

type Message = { port: number } | 'measuring' | 'measured' | { report: LoadReport }

export async function startLoad(): Promise<Load> {
  const { child, hello, [Symbol.asyncDispose]: dispose } = await startOwnProcess<{ port: number }>('load.ts')
  return {
    url: `http://127.0.0.1:${hello.port}`,
    run(order, onMeasuring, onMeasured) {
      const marks: Promise<void>[] = []
      return new Promise((resolve, reject) => {
        const gone = () => reject(new Error('The process of the load ended.'))
        const listen = (message: Message) => {
          if (message === 'measuring') marks.push(onMeasuring())
          else if (message === 'measured') marks.push(onMeasured())
          else if ('report' in message) {
            child.off('message', listen).off('exit', gone)
            Promise.all(marks).then(() => resolve(message.report), reject)
          }
        }
        child.on('message', listen).on('exit', gone)
        child.send(order)
      })
    },
    [Symbol.asyncDispose]: dispose,
  }
}
