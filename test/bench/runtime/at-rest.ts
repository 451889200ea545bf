import { setTimeout as wait } from 'node:timers/promises'
import { cpuMs, descendantsOf } from '../../helpers/lib/processes.ts'
import { until } from '../../helpers/lib/until.ts'

const windowMs = 250
const restShare = 0.15

/** Waits until a process and its descendants together use less than that share of one core. */
export async function atRest(pid: number): Promise<void> {
  const used = () =>
    [pid, ...descendantsOf(pid).map((child) => child.pid)].reduce((sum, id) => sum + cpuMs(id), 0)
  await until(
    `process ${pid} is at rest`,
    async () => {
      const before = used()
      await wait(windowMs)
      return (used() - before) / windowMs < restShare
    },
    60_000,
  )
}
