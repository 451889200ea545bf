import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Below what Linux gives to connections and to those who listen on port 0 (`ip_local_port_range`,
 * 32768 and up): between the asking and the use, nobody else on the machine is given one of these.
 */
const lowest = 10_000
const highest = 32_767

/** Free at the time of asking, and no two the same, because all are held at once. */
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
