import type { LoadOrder, LoadReport } from './load-order.ts'
import { startOwnProcess } from './own-process.ts'

/** The process of the load (load.ts), which also is the merchants' web servers. */
export type Load = AsyncDisposable & {
  /** Where endpoints are to be registered, followed by their paths. */
  url: string
  /** Of the merchants' web servers, when they speak TLS: the authority that the service has to trust, in PEM. */
  certificate: string | undefined
  /** Carries out one order; the calls mark the beginning and the end of the time that is measured. */
  run(order: LoadOrder, onMeasuring: () => Promise<void>, onMeasured: () => Promise<void>): Promise<LoadReport>
}

type Message = { port: number } | 'measuring' | 'measured' | { report: LoadReport }

/** @param tls whether the merchants' web servers speak it, as live mode wants them to */
export async function startLoad({ tls = false } = {}): Promise<Load> {
  const started = await startOwnProcess<{ port: number; certificate?: string }>('load.ts', tls ? ['tls'] : [])
  const { child, hello, [Symbol.asyncDispose]: dispose } = started
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${hello.port}`,
    certificate: hello.certificate,
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
