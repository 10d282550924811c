import { sparkline } from '../../operators/weather/sparkline.ts'
import type { Weather } from '../../operators/weather/weather.ts'
import { type PlaceByHours, readWeatherByHours } from '../../operators/weather/weather-by-hours.ts'
import { type Command, defineCommand, readMode } from '../command.ts'

const operatorWeather = defineCommand({
  name: 'operator weather',
  summary: 'Show the recent success rates and times of each operator, from our own traffic',
  details:
    'The windows are 15 minutes and 24 hours; - means fewer than 20 operations that say something about the operator. A failure of the payer or ' +
    'recipient does not count. The seconds from send to confirmation are the median and the 95th percentile. The last column is the ' +
    'success rate in each of the last 24 hours, oldest first; a dot is an hour without operations.',
  options: { mode: { kind: 'optional', says: 'the mode; otherwise live' } },
  table: {
    rows: 'weather',
    columns: ['operator', 'over', 'operations', 'succeeded', 'in_doubt', 'median', 'p95', 'by_hours:Hour by hour'],
    empty: 'No operation was sent to an operator in the last 24 hours in this mode.',
  },
  async run(context, { mode = 'live' }, { json }) {
    const livemode = readMode(mode)
    const all = await readWeatherByHours(await context.sql())
    const weather = all.filter((one) => one.livemode === livemode)
    return { weather: json ? weather : weather.flatMap(linesOf) }
  },
})

/** One line for each window. */
function linesOf({ operator, direction, last_15_minutes, last_24_hours, hours }: PlaceByHours) {
  const by_hours = sparkline(hours.map(({ success_rate }) => success_rate))
  return [
    { operator: `${operator} ${direction}`, over: '15 min', ...cellsOf(last_15_minutes), by_hours: '' },
    { operator: '', over: '24 h', ...cellsOf(last_24_hours), by_hours },
  ]
}

function cellsOf({ operations, success_rate, in_doubt_rate, median_seconds, p95_seconds }: Weather) {
  return {
    operations,
    succeeded: success_rate === null ? null : `${Math.round(success_rate * 100)} %`,
    in_doubt: in_doubt_rate === null ? null : `${Math.round(in_doubt_rate * 100)} %`,
    median: median_seconds === null ? null : `${median_seconds} s`,
    p95: p95_seconds === null ? null : `${p95_seconds} s`,
  }
}

export const commands: readonly Command[] = [operatorWeather]
