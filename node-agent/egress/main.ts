/**
 * The egress process of a node agent: all connections of its restricted browsers go through it, so
 * that none takes time, memory or descriptors of the agent's own. It ends with the agent's channel.
 */
import type { ListenerHandle } from '../../runtime/browser-host/isolation/own-network.ts'
import { systemClock } from '../../runtime/lib/clock.ts'
import { egressLimits } from './limits.ts'
import type { EgressMessage, EgressOrder, EgressSettings } from './orders.ts'
import { ServedFilters } from './served-filters.ts'

const filters = new ServedFilters(JSON.parse(process.argv[2]!) as EgressSettings)

// Fails if the agent has gone, and then this process ends as well.
const tell = (message: EgressMessage): void => void process.send?.(message, () => undefined)

let toldLoad = ''
function reportLoad(): void {
  const { load } = filters
  const text = JSON.stringify(load)
  if (text !== toldLoad) tell({ load })
  toldLoad = text
  systemClock.timer(egressLimits.loadReportMs, reportLoad)
}
reportLoad()

process.on('message', (order, handle) => {
  void filters.answer(order as EgressOrder, handle as ListenerHandle | undefined).then(tell)
})
process.once('disconnect', () => process.exit())
