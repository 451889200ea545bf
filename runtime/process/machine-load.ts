/** How busy the machine is, or the container that bounds this process. */
import { availableParallelism, loadavg, totalmem } from 'node:os'
import type { MachineLoad } from '../../proto/host.ts'

export function readMachineLoad(): MachineLoad {
  const [load = 0] = loadavg()
  // 0, or more than there is, where nothing bounds it.
  const boundBytes = process.constrainedMemory()
  const memoryBytes = boundBytes > 0 ? Math.min(boundBytes, totalmem()) : totalmem()
  return {
    cores: availableParallelism(),
    load: Math.round(load * 100) / 100,
    memoryBytes,
    memoryFreeBytes: Math.min(process.availableMemory(), memoryBytes),
    processBytes: process.memoryUsage.rss(),
  }
}
