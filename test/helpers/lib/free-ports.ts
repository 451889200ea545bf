import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Below the range that Linux assigns to connections and to listeners on port 0
 * (`ip_local_port_range`, 32768 and up): no other process is assigned one of these between the
 * check and the use.
 */
const lowest = 10_000
const highest = 32_767

/** Free when checked, and all different, because all are held at once. */
export async function freePorts(count: number): Promise<number[]> {
  const probes = new Map<number, Server>()
  while (probes.size < count) {
    const port = randomInt(lowest, highest + 1)
    const probe = await listening(port)
    if (probe) probes.set(port, probe)
  }
  await Promise.all([...probes.values()].map((probe) => once(probe.close(), 'close')))
  return [...probes.keys()]
}

async function listening(port: number): Promise<Server | undefined> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
    return probe
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    throw error
  }
}
