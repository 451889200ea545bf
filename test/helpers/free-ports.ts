import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'

/** Free at the time of asking, and no two the same, because all are held at once. */
export async function freePorts(count: number): Promise<number[]> {
  const probes: Server[] = []
  for (let i = 0; i < count; i++) {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    probes.push(probe)
  }
  const ports = probes.map((probe) => (probe.address() as AddressInfo).port)
  await Promise.all(probes.map((probe) => once(probe.close(), 'close')))
  return ports
}
